/** Stands where each request's own value goes; as long as such a value, so that `Content-Length` fits. */
export const slot = '00000000-0000-0000-0000-000000000000';

/** A request as it goes over the wire, cut where its own value goes in. */
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
