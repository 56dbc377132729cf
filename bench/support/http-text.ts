/** The placeholder of each request's value. It has the same length, so that `Content-Length` is right. */
export const slot = '00000000-0000-0000-0000-000000000000';

/** The text of an HTTP request, split at the places of its value. */
export function httpText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): string[] {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`.split(slot);
}
