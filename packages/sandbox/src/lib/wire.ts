/** One HTTP exchange as bytes. The simulators do not depend on how it is transported. */

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface WireResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * The simulated processor closed the connection without a response. A server that hosts it should do the
 * same.
 */
export class ConnectionDropped extends Error {
  constructor() {
    super('the simulated processor dropped the connection');
    this.name = 'ConnectionDropped';
  }
}

/**
 * Returns a header by its lower-case name, whatever case the client used. An empty value counts as absent.
 */
export function readHeader(request: WireRequest, name: string): string | undefined {
  const { headers } = request;
  const spelled = name in headers ? name : Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = spelled === undefined ? undefined : headers[spelled]?.trim();
  return value === '' ? undefined : value;
}

/** Builds a JSON response from a serialized body, so that a replay has the same bytes. */
export function jsonResponse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
    body: Buffer.from(body),
  };
}

/** Splits a request's URL into origin, path, and query without its question mark. */
export function splitUrl(url: string): {
  readonly origin: string;
  readonly path: string;
  readonly query: string;
} {
  const [, origin = '', path = '', query = ''] =
    /^(https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  return { origin, path, query };
}
