const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** A paragraph, or a table of names and values. */
export type Block = string | readonly (readonly [name: string, value: string])[];

const asHtml = (block: Block) =>
  typeof block === 'string'
    ? `<p>${escapeHtml(block)}</p>`
    : `<table>${block
        .map(
          ([name, value]) =>
            `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
        )
        .join('')}</table>`;

const asText = (block: Block) =>
  typeof block === 'string' ? block : block.map(([name, value]) => `${name}: ${value}`).join('\n');

/** Writes blocks as plain text and as HTML, which has no styles, scripts or external resources. */
export function writeBlocks(
  blocks: readonly Block[],
  { tag, direction } = { tag: 'en', direction: 'ltr' },
): { text: string; html: string } {
  return {
    text: `${blocks.map(asText).join('\n\n')}\n`,
    html: `<!doctype html><html lang="${tag}" dir="${direction}"><body>${blocks.map(asHtml).join('')}</body></html>`,
  };
}
