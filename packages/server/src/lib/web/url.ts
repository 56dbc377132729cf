/**
 * Parses an absolute URL; undefined if the text is none. It does not use `URL.canParse`, because Node 20's optimised version
 * reads text with letters such as ü as broken UTF-8 and refuses it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Appends parameters to the query of `url`. Every other byte of query and fragment stays unchanged, even a parameter of the same
 * name, so that a signature over the URL stays valid. Only characters that no HTTP header can carry are escaped, as a browser
 * would escape them (decisions, "Limits and refusals").
 * @param url an absolute http or https address
 */
export function appendParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const hash = url.indexOf('#');
  const [address, fragment] = hash === -1 ? [url, ''] : [url.slice(0, hash), url.slice(hash)];
  const separator = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?';
  return inAscii(`${address}${separator}${new URLSearchParams(parameters).toString()}${fragment}`);
}

const beyondAscii = /[^\0-\x7f]+/gu;

/** Encodes non-ASCII characters: a host in Punycode, the rest in percent-encoded UTF-8. */
function inAscii(url: string): string {
  const [, origin = '', rest = ''] = /^([^/?#]*\/\/[^/?#]*)(.*)$/s.exec(url) ?? [];
  const host = origin.search(beyondAscii) === -1 ? origin : (parseUrl(origin)?.origin ?? origin);
  return host + rest.replaceAll(beyondAscii, encodeURIComponent);
}
