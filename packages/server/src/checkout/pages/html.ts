const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is safe to send. Its type keeps plain text from being used as HTML. */
export interface Html {
  readonly html: string;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

const render = (value: Html | string | readonly Html[]): string => {
  if (typeof value === 'string') return escapeHtml(value);
  return 'html' in value ? value.html : value.map(({ html: text }) => text).join('');
};

/** Builds HTML. Every value that is not `Html` itself is escaped. */
export function html(
  deps: TemplateStringsArray,
  ...values: readonly (Html | string | readonly Html[])[]
): Html {
  return { html: deps.reduce((text, part, index) => text + render(values[index - 1] ?? '') + part) };
}

export const nothing: Html = { html: '' };

/** Text from outside, which may be written in another direction than the text around it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`;
