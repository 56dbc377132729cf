import type { IncomingMessage } from 'node:http';
import { ApiError } from '@till/contract';
import type { FastifyRequest } from 'fastify';
import { Bulkhead } from '../../lib/waiting/bulkhead.ts';
import { siteOf } from '../../lib/web/network.ts';

/** How many bodies may be awaited of one client and in all, and how long each may take. */
const bounds = {
  /** By address: nobody knows whose they are. */
  anonymous: { each: 32, all: 512, ms: 5_000 },
  /** By account, where a key or a session was shown. A file may take longer than a few hundred bytes. */
  authenticated: { each: 64, all: 256, ms: 20_000 },
};

/**
 * Bounds the requests whose body is still to come. They take nothing from others but a little memory, so that they are
 * counted for themselves: half-sent requests of one client keep out nobody but that client.
 */
export class AwaitedBodies {
  readonly #delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #held = {
    anonymous: new Bulkhead(bounds.anonymous),
    authenticated: new Bulkhead(bounds.authenticated),
  };

  constructor(delay: (ms: number, signal: AbortSignal) => Promise<void>) {
    this.#delay = delay;
  }

  /** How many are awaited. */
  get total(): number {
    return this.#held.anonymous.total + this.#held.authenticated.total;
  }

  /**
   * Waits for the body of a request. One that does not come in time is answered 408 by an error on its stream.
   * @returns what to call once it has come; null where too many of this client are awaited
   */
  expect({ raw, ip, authenticated, logFields }: FastifyRequest): (() => void) | null {
    const kind = authenticated ? 'authenticated' : 'anonymous';
    const leave = this.#held[kind].enter((authenticated ? logFields.account : undefined) ?? siteOf(ip));
    if (leave === null) return null;
    const over = new AbortController();
    const end = () => {
      leave();
      // Without a reason each abort makes a DOMException with its stack.
      over.abort('the body came');
    };
    raw.once('close', end);
    void this.#endLate(raw, bounds[kind].ms, over.signal);
    return end;
  }

  async #endLate(raw: IncomingMessage, ms: number, over: AbortSignal): Promise<void> {
    await this.#delay(ms, over);
    if (over.aborted || raw.complete) return;
    // The reader of the body answers with the error; where nobody reads it there is nothing to answer.
    if (raw.listenerCount('error') > 0) raw.emit('error', tooSlow());
    else raw.destroy();
  }
}

const tooSlow = () => new ApiError('request_timeout', 'The body of the request did not arrive in time.');
