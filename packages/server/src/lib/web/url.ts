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

/**
 * `url` with parameters appended to its query. Every other byte of query and fragment stays as it was, also a parameter of the
 * same name: the signer of the address finds their part unchanged. Only what no HTTP header can carry is escaped, as a
 * browser would escape it (decisions, "Limits and refusals").
 * @param url an absolute http or https address
 */
export function appendParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const hash = url.indexOf('#');
  const [address, fragment] = hash === -1 ? [url, ''] : [url.slice(0, hash), url.slice(hash)];
  const separator = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?';
  return inAscii(`${address}${separator}${new URLSearchParams(parameters).toString()}${fragment}`);
}

const beyondAscii = /[^\0-\x7f]+/gu;

/** A host of other letters in Punycode, anything else of them in percent-encoded UTF-8. */
function inAscii(url: string): string {
  const [, origin = '', rest = ''] = /^([^/?#]*\/\/[^/?#]*)(.*)$/s.exec(url) ?? [];
  const host = origin.search(beyondAscii) === -1 ? origin : (parseUrl(origin)?.origin ?? origin);
  return host + rest.replaceAll(beyondAscii, encodeURIComponent);
}
