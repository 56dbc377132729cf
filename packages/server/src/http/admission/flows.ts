import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { sha256 } from '../../lib/keys.ts';
import { siteOf } from '../../lib/web/network.ts';

/** Headers of a generation: twice as many are known at most. */
const maxRecent = 5_000;

/**
 * Says whose a request is before it is authenticated, for fair queuing: the account of an API key that was found good
 * before, else the address that it comes from, where a /48 of IPv6 counts as one. A key that nobody knows makes no flow of
 * its own.
 */
export class Flows {
  /** Account by the digest of the header that presented its key: of those used lately, and of the generation before. */
  #recent = new Map<string, string>();
  #older: ReadonlyMap<string, string> = new Map();
  /** Worked out once for a request, which is asked about several times. */
  readonly #digests = new WeakMap<IncomingMessage, string>();
  readonly #trust: (address: string, hop: number) => boolean;

  /** @param trustProxy addresses of proxies, whose `X-Forwarded-For` is believed */
  constructor(trustProxy: readonly string[]) {
    this.#trust = trustProxy.length === 0 ? () => false : proxyAddress.compile([...trustProxy]);
  }

  of(request: IncomingMessage): string {
    const digest = this.#digestOf(request);
    const account = digest === undefined ? undefined : (this.#recent.get(digest) ?? this.#older.get(digest));
    // A connection that has ended has no address.
    return account ?? `address ${siteOf(proxyAddress(request, this.#trust) ?? '')}`;
  }

  /** The key that this request presents is one of the account. */
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
