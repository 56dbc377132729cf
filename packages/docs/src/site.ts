import { codeFacts, documentedCodes, errorCodesHtml, errorCodesMarkdown } from './error-codes.ts';
import { homeHtml } from './home-page.ts';
import { type AssetAddresses, type Frame, pageHtml } from './layout.ts';
import { linkMap } from './links.ts';
import { type RenderedPage, renderMarkdown } from './markdown.ts';
import { listedOperations, referenceHtml } from './reference-page.ts';
import { searchIndex } from './search-index.ts';
import { type PlannedPage, type PlannedSection, referenceAddress, siteMap } from './site-map.ts';
import { testCardsHtml, testCardsMarkdown } from './trigger-table.ts';

export { documentedCodes, listedOperations };

/** A file of the site. `reference` is the only page that needs its own content security policy. */
export interface SiteFile {
  readonly path: string;
  readonly kind: 'page' | 'reference' | 'text';
  readonly contentType: string;
  readonly text: string;
}

export interface SiteInput {
  /** Reads a file of the repository as text. */
  readonly read: (path: string) => string;
  /** The names of the Markdown files in a folder of the repository. */
  readonly list: (folder: string) => readonly string[];
  readonly assets: AssetAddresses;
  /** Gives the search index a name that depends on its content, and returns its URL. */
  readonly addIndex: (text: string) => string;
  readonly version: string;
}

interface SitePage {
  readonly plan: PlannedPage;
  readonly page: RenderedPage;
  /** The Markdown version as published. */
  readonly markdown: string;
}

const errorsAddress = '/docs/errors';

const inserts = { 'test-cards': testCardsHtml, 'error-codes': errorCodesHtml };
const markdownInserts = { 'test-cards': testCardsMarkdown, 'error-codes': errorCodesMarkdown };

/** The Markdown version of a page, with the inserts of the site and with links that work on the site. */
function publishedMarkdown(text: string, resolve: (href: string) => string | null): string {
  const complete = Object.entries(markdownInserts).reduce(
    (so, [name, make]) => so.replace(`<!-- ${name} -->`, make),
    text,
  );
  return complete.replaceAll(/\[([^\]\n]+)\]\(([^)\s]+)\)/g, (_whole, words: string, href: string) => {
    const target = resolve(href);
    if (target === null) return words;
    return `[${words}](${target.replace(/^(\/docs\/[\w/-]+)(?=#|$)/, '$1.md')})`;
  });
}

function renderPage(plan: PlannedPage, input: SiteInput, links: ReturnType<typeof linkMap>): SitePage {
  const text = input.read(plan.source);
  const link = (href: string) => links.resolve(plan.source, href);
  const page = renderMarkdown(text, {
    link,
    inserts: Object.fromEntries(
      Object.entries(inserts)
        .filter(([name]) => text.includes(`<!-- ${name} -->`))
        .map(([name, make]) => [name, make()]),
    ),
    ...(plan.address === errorsAddress ? { facts: codeFacts } : {}),
  });
  return { plan, page, markdown: publishedMarkdown(text, link) };
}

const shortTitle = ({ plan, page }: SitePage) => plan.shortTitle ?? page.title;

/** The first sentence of a page, if no better summary is known. */
const summaryOf = ({ plan, page }: SitePage) =>
  plan.summary === '' ? (/^.*?[.:](?= |$)/.exec(page.sections[0]?.text ?? '')?.[0] ?? '') : plan.summary;

/** A section with its rendered pages. */
interface RenderedSection {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

function frameOf(sections: readonly RenderedSection[], input: SiteInput): Frame {
  const pages = sections.flatMap((section) => section.pages);
  return {
    navigation: sections.map(({ title, pages: some }) => ({
      title,
      pages: [
        ...(title === 'Start' ? [{ address: '/docs', title: 'Overview' }] : []),
        ...(title === 'Reference' ? [{ address: referenceAddress, title: 'API reference' }] : []),
        ...some.map((one) => ({ address: one.plan.address, title: shortTitle(one) })),
      ],
    })),
    assets: input.assets,
    searchIndex: input.addIndex(
      searchIndex(pages.map(({ plan, page }) => ({ address: plan.address, page }))),
    ),
    version: input.version,
  };
}

const htmlType = 'text/html; charset=utf-8';
const textType = (kind: 'plain' | 'markdown') => `text/${kind}; charset=utf-8`;

function filesOf(one: SitePage, frame: Frame): SiteFile[] {
  const { plan, page, markdown } = one;
  const html = pageHtml(frame, {
    address: plan.address,
    title: page.title,
    description: summaryOf(one),
    html: page.html,
    sections: page.sections,
    markdown: `${plan.address}.md`,
  });
  return [
    { path: plan.address, kind: 'page', contentType: htmlType, text: html },
    { path: `${plan.address}.md`, kind: 'text', contentType: textType('markdown'), text: markdown },
  ];
}

function overviewPage(sections: readonly RenderedSection[], frame: Frame): SiteFile {
  const overview = sections.map(({ title, pages }) => ({
    title,
    pages: [
      ...(title === 'Reference'
        ? [
            {
              address: referenceAddress,
              title: 'API reference',
              summary: 'Every endpoint, field and event, to be imported into Postman and Bruno.',
            },
          ]
        : []),
      ...pages.map((one) => ({
        address: one.plan.address,
        title: shortTitle(one),
        summary: summaryOf(one),
      })),
    ],
  }));
  const text = pageHtml(frame, {
    address: '/docs',
    title: 'Till documentation',
    description: 'Guides, API reference and test cards of Till.',
    html: homeHtml(overview),
    sections: [],
  });
  return { path: '/docs', kind: 'page', contentType: htmlType, text };
}

function notFoundPage(frame: Frame): SiteFile {
  const text = pageHtml(frame, {
    address: '/docs/404',
    title: 'There is no such page',
    description: 'There is no such page.',
    html: '<p>The address is wrong, or the page has another name now. Search for it, or begin at the <a href="/docs">overview</a>.</p>',
    sections: [],
  });
  return { path: '/docs/404', kind: 'page', contentType: htmlType, text };
}

/** The index for language models (llmstxt.org). The server replaces `{base_url}`. */
function llmsText(sections: readonly RenderedSection[]): SiteFile {
  const lines = sections.flatMap(({ title, pages }) => [
    `## ${title}`,
    '',
    ...pages.map((one) => `- [${shortTitle(one)}]({base_url}${one.plan.address}.md): ${summaryOf(one)}`),
    '',
  ]);
  const text = `# Till

> A merchant payments service that a business hosts itself: one HTTP API for cards with 3-D Secure, wallets, holds, saved
> methods, refunds, webhooks and disputes, with a sandbox that works offline.

Amounts are integers in minor units. Send an Idempotency-Key with what moves money and repeat it on retries. A decline is
HTTP 200 with \`status: failed\`. Sandbox keys begin with sk_test_.

- [OpenAPI 3.1 document]({base_url}/openapi.json): every endpoint, field, error and webhook
- [Test cards and triggers as data]({base_url}/docs/testing.json): what to send and what then happens

${lines.join('\n')}`;
  return { path: '/llms.txt', kind: 'text', contentType: textType('plain'), text };
}

/** Renders the documentation from the repository's files. */
export function renderSite(input: SiteInput): SiteFile[] {
  const plan: readonly PlannedSection[] = siteMap(input.list);
  const links = linkMap(
    new Map(plan.flatMap(({ pages }) => pages.map(({ source, address }) => [source, address] as const))),
  );
  const sections = plan.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => renderPage(page, input, links)),
  }));
  const frame = frameOf(sections, input);
  return [
    overviewPage(sections, frame),
    ...sections.flatMap(({ pages }) => pages.flatMap((page) => filesOf(page, frame))),
    { path: referenceAddress, kind: 'reference', contentType: htmlType, text: referenceHtml(frame) },
    notFoundPage(frame),
    llmsText(sections),
  ];
}
