import { parseUrl } from '../../lib/web/url.ts';

/** Truncates to at most `maxLength` UTF-16 units, without leaving half of a surrogate pair at the end. */
export const cut = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');

/** Trims the text; undefined if nothing is left. */
export function filled(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The text if it is an absolute http or https URL, otherwise null. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text == null ? undefined : parseUrl(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? (text ?? null) : null;
}
