import { escapeHtml } from './html.ts';
import type { PageSection } from './markdown.ts';

/** An entry of the navigation. */
export interface NavigationPage {
  readonly address: string;
  readonly title: string;
}

export interface NavigationSection {
  readonly title: string;
  readonly pages: readonly NavigationPage[];
}

/** The URLs of the built files, which change with their content. */
export interface AssetAddresses {
  readonly style: string;
  readonly referenceStyle: string;
  readonly script: string;
  readonly theme: string;
  readonly reference: string;
  readonly redoc: string;
  readonly icon: string;
}

/** The parts that every page shares. */
export interface Frame {
  readonly navigation: readonly NavigationSection[];
  readonly assets: AssetAddresses;
  /** The URL of the index that the search loads. */
  readonly searchIndex: string;
  readonly version: string;
}

export interface PageContent {
  readonly address: string;
  readonly title: string;
  readonly description: string;
  /** The content below the title. */
  readonly html: string;
  readonly sections: readonly PageSection[];
  /** The URL of the page's Markdown version. */
  readonly markdown?: string;
}

const icons = {
  search: '<path d="m21 21-4.3-4.3M11 19a8 8 0 1 1 0-16 8 8 0 0 1 0 16Z"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  theme:
    '<path d="M12 3v18M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z"/><path d="M12 3a9 9 0 0 1 0 18Z" class="full"/>',
};

const drawn = (name: keyof typeof icons) =>
  `<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">${icons[name]}</svg>`;

const mark =
  '<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8 11h16M16 11v12"/></svg>';

/** The HTML from the start of a document to its head. */
export function headHtml(
  { icon, theme }: AssetAddresses,
  { title, description }: { readonly title: string; readonly description: string },
  style: string,
  scripts: readonly string[],
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script src="${theme}"></script>
${scripts.map((address) => `<script src="${address}" defer></script>`).join('\n')}
</head>
`;
}

/**
 * The bar at the top. Elements that need the script are hidden until it runs.
 * @param menu the URL of the navigation, on pages that have one
 */
export function barHtml({ searchIndex }: Pick<Frame, 'searchIndex'>, current: string, menu?: string): string {
  const link = (address: string, words: string) =>
    `<a href="${address}"${address === current ? ' aria-current="page"' : ''}>${words}</a>`;
  return `<a class="skip" href="#content">Skip to content</a>
<header class="bar" data-search="${searchIndex}">
<a class="brand" href="/docs">${mark}<span>Till</span> <span class="brand-part">Docs</span></a>
<nav class="bar-links" aria-label="Site">
${link('/docs/quickstart', 'Quickstart')}
${link('/docs/reference', 'API reference')}
${link('/docs/testing', 'Test cards')}
<a href="/dashboard">Dashboard</a>
</nav>
<button type="button" class="search-button" id="search-open" hidden>${drawn('search')}<span>Search</span> <kbd>Ctrl K</kbd></button>
<button type="button" class="icon-button" id="theme" hidden>${drawn('theme')}</button>
${menu === undefined ? '' : `<a class="icon-button menu-link" href="${menu}" aria-label="Menu">${drawn('menu')}</a>\n`}</header>
`;
}

function navigationHtml({ navigation }: Frame, current: string): string {
  const line = ({ address, title }: NavigationPage) =>
    `<li><a href="${address}"${address === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  const sections = navigation.map(
    ({ title, pages }) =>
      `<p class="side-title">${escapeHtml(title)}</p>\n<ul>\n${pages.map(line).join('\n')}\n</ul>`,
  );
  return `<nav class="side" id="navigation" aria-label="Documentation">
<a class="side-close" href="#content">Close menu</a>
${sections.join('\n')}
</nav>
`;
}

/** The table of contents of the page; '' if it has fewer than three sections. */
function contentsHtml(sections: readonly PageSection[]): string {
  const headings = sections.filter(({ depth, id }) => id !== '' && depth === 2);
  if (headings.length < 3) return '';
  const lines = headings.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page">
<p class="side-title">On this page</p>
<ul>
${lines.join('\n')}
</ul>
</nav>
`;
}

function neighboursHtml({ navigation }: Frame, current: string): string {
  const pages = navigation.flatMap((section) => section.pages);
  const at = pages.findIndex(({ address }) => address === current);
  if (at < 0) return '';
  const link = (page: NavigationPage | undefined, words: string, relation: string) =>
    page === undefined
      ? ''
      : `<a href="${page.address}" rel="${relation}"><span>${words}</span> ${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Next and previous page">
${link(pages[at - 1], 'Previous', 'prev')}
${link(pages[at + 1], 'Next', 'next')}
</nav>
`;
}

/** A whole page of the documentation. */
export function pageHtml(frame: Frame, page: PageContent): string {
  const { address, title, description, html, sections, markdown } = page;
  const source =
    markdown === undefined ? '' : `<a href="${markdown}" type="text/markdown">This page as Markdown</a>\n`;
  const head = { title: address === '/docs' ? title : `${title} · Till`, description };
  const { assets } = frame;
  return `${headHtml(assets, head, assets.style, [assets.script])}<body>
${barHtml(frame, address, '#navigation')}<div class="shell">
${navigationHtml(frame, address)}<main id="content" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${html}
${neighboursHtml(frame, address)}<footer>
${source}<span>Till ${escapeHtml(frame.version)}</span>
</footer>
</main>
${contentsHtml(sections)}</div>
</body>
</html>
`;
}
