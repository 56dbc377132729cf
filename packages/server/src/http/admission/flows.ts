import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { sha256 } from '../../lib/keys.ts';
import { siteOf } from '../../lib/web/network.ts';

/** The number of headers in one generation. Two generations are kept. */
const maxRecent = 5_000;

/**
 * Assigns a request to a flow for fair queuing, before it is authenticated. The flow is the account of an API key that was valid
 * before, or else the client's address, with a /48 of IPv6 counting as one address. An unknown key does not create a flow.
 */
export class Flows {
  /** The account by the digest of the header that presented its key: recently used ones, and the generation before. */
  #recent = new Map<string, string>();
  #older: ReadonlyMap<string, string> = new Map();
  /** Caches the digest of a request, which is needed several times. */
  readonly #digests = new WeakMap<IncomingMessage, string>();
  readonly #trust: (address: string, hop: number) => boolean;

  /** @param trustProxy addresses of proxies whose `X-Forwarded-For` header is trusted */
  constructor(trustProxy: readonly string[]) {
    this.#trust = trustProxy.length === 0 ? () => false : proxyAddress.compile([...trustProxy]);
  }

  of(request: IncomingMessage): string {
    const digest = this.#digestOf(request);
    const account = digest === undefined ? undefined : (this.#recent.get(digest) ?? this.#older.get(digest));
    // A closed connection has no address.
    return account ?? `address ${siteOf(proxyAddress(request, this.#trust) ?? '')}`;
  }

  /** Remembers that the key of this request belongs to the account. */
  remember(request: IncomingMessage, accountId: string): void {
    const digest = this.#digestOf(request);
    if (digest === undefined) return;
    this.#recent.set(digest, accountId);
    if (this.#recent.size < maxRecent) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }

  #digestOf(request: IncomingMessage): string | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) return undefined;
    const known = this.#digests.get(request);
    if (known !== undefined) return known;
    const digest = sha256(authorization).toString('base64');
    this.#digests.set(request, digest);
    return digest;
  }
}
