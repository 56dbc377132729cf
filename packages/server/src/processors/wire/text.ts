import { parseUrl } from '../../lib/web/url.ts';

/** At most so many UTF-16 units, without leaving half a character at the end. */
export const cut = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');

/** The text without surrounding space, or undefined where nothing is left of it. */
export function filled(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The text as an absolute http or https address, or null where it is none. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text == null ? undefined : parseUrl(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? (text ?? null) : null;
}
