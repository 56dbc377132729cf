import { sha256 } from '../lib/keys.ts';
import { networkOf } from '../lib/network.ts';

/** What of a request is known before anything is done for it. */
interface Arrived {
  readonly headers: { readonly authorization?: string | undefined };
  readonly socket: { readonly remoteAddress?: string | undefined };
}

const mostKnown = 10_000;

/**
 * Tells whose request one is before it is authenticated, for fair queuing: the account of an API key that was found good
 * before, else the address that the connection comes from. A key that nobody knows makes no flow of its own.
 */
export class Flows {
  /** Account by the digest of the header that presented its key, the latest used last. */
  readonly #known = new Map<string, string>();

  of({ headers, socket }: Arrived): string {
    const account = headers.authorization === undefined ? undefined : this.#find(headers.authorization);
    return account ?? `address ${networkOf(socket.remoteAddress ?? '')}`;
  }

  /** The key in this header is one of the account. */
  learn(authorization: string, accountId: string): void {
    const digest = digestOf(authorization);
    this.#known.delete(digest);
    this.#known.set(digest, accountId);
    if (this.#known.size <= mostKnown) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #find(authorization: string): string | undefined {
    return this.#known.get(digestOf(authorization));
  }
}

const digestOf = (authorization: string) => sha256(authorization).toString('base64');
