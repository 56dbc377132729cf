const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is ready to be sent; plain text never passes for it. */
export interface Html {
  readonly html: string;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

const render = (value: Html | string | readonly Html[]): string => {
  if (typeof value === 'string') return escapeHtml(value);
  return 'html' in value ? value.html : value.map(({ html: text }) => text).join('');
};

/** Builds HTML; every value that is not HTML itself is escaped. */
export function html(
  deps: TemplateStringsArray,
  ...values: readonly (Html | string | readonly Html[])[]
): Html {
  return { html: deps.reduce((text, part, index) => text + render(values[index - 1] ?? '') + part) };
}

export const nothing: Html = { html: '' };

/** Text of somebody else's, which may be written in the other direction than the text around it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`;
