/**
 * An absolute URL, or undefined for text that is none. Not `URL.canParse`: once compiled, Node 20's reads text with
 * letters such as ü as broken UTF-8 and refuses it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
