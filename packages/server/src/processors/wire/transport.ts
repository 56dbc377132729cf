/** Sends one HTTP request to an upstream: over the network, or, with the same bytes, to a simulator in this process. */

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface WireResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Why no response arrived. `not_sent`: the upstream never got the request (DNS, refused connection). `timeout` and `dropped`:
 * the request may have been carried out.
 */
export class TransportError extends Error {
  readonly kind: 'not_sent' | 'timeout' | 'dropped';

  constructor(kind: 'not_sent' | 'timeout' | 'dropped', cause?: unknown) {
    super(`upstream ${kind}`, { cause });
    this.name = 'TransportError';
    this.kind = kind;
  }
}

export type Transport = (request: WireRequest) => Promise<WireResponse>;
