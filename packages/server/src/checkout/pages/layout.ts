import { type Html, html, isolated, nothing } from './html.ts';
import { colourOf, type Page, type Scene } from './scene.ts';
import { languages } from './texts/languages.ts';

function shopLine({ branding, logoPath, shop }: Scene, page: Page): Html {
  const logo = branding?.logo ?? null;
  if (logo === null || logoPath === null) return nothing;
  // The alternative text is empty because the shop's name is in the heading or the text, and need not be read twice.
  const picture = html`<img src="${logoPath}" alt="" width="${String(logo.width)}" height="${String(logo.height)}">`;
  return html`<p class="shop">${picture}${page.title.includes(shop) ? nothing : isolated(shop)}</p>
`;
}

function languageMenu({ words, path }: Scene): Html {
  const items = languages.map(({ tag, name }) => {
    const current = tag === words.language.tag ? html` aria-current="true"` : nothing;
    return html`<li><a href="${path}?lang=${tag}" lang="${tag}" hreflang="${tag}"${current}>${name}</a></li>`;
  });
  const { tag, name } = words.language;
  return html`<details><summary>${words.text('language')}:&nbsp;<span lang="${tag}">${name}</span></summary>
<ul class="languages">${items}</ul></details>`;
}

/** The whole document. The only script besides the processor's is our own, whose integrity the browser checks. */
export function documentOf(scene: Scene, page: Page): string {
  const { words, assets, isTest, shop, branding, logoPath } = scene;
  const { tag, direction } = words.language;
  const style = assets.style(colourOf(scene));
  const title = shop === '' || page.title.includes(shop) ? page.title : `${page.title} · ${shop}`;
  const icon =
    branding?.logo != null && logoPath !== null ? html`<link rel="icon" href="${logoPath}">\n` : nothing;
  const refresh =
    page.refresh === undefined
      ? nothing
      : html`<noscript><meta http-equiv="refresh" content="${String(page.refresh.seconds)}; url=${page.refresh.path}"></noscript>\n`;
  const theirs =
    page.hostedFields === undefined
      ? nothing
      : html`<script src="${page.hostedFields.script}" defer></script>\n`;
  return html`<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${style.path}" integrity="${style.integrity}">
${theirs}<script src="${assets.script.path}" integrity="${assets.script.integrity}" defer></script>
${refresh}${icon}</head>
<body>
${isTest ? html`<header><p class="band">${words.text('test_band')}</p></header>\n` : nothing}<main>
${shopLine(scene, page)}${page.content}
</main>
<footer>${languageMenu(scene)}</footer>
</body>
</html>
`.html;
}
