import type { IncomingMessage } from 'node:http';
import { ApiError } from '@till/contract';
import type { FastifyRequest } from 'fastify';
import { Bulkhead } from '../../lib/waiting/bulkhead.ts';
import { type DeadlineClock, Deadlines } from '../../lib/waiting/deadlines.ts';
import { siteOf } from '../../lib/web/network.ts';

/** How many request bodies may be awaited per client (`each`) and in total (`all`), and how long each may take. */
const bounds = {
  /** Counted by address, because the account is unknown. */
  anonymous: { each: 32, all: 512, ms: 5_000 },
  /** Counted by account, if the request presented a key or a session. A file may take longer than a few hundred bytes. */
  authenticated: { each: 64, all: 256, ms: 20_000 },
};

interface Awaited {
  readonly places: Bulkhead;
  readonly deadlines: Deadlines<IncomingMessage>;
}

/**
 * Bounds the requests that wait for their body. They only use a little memory, so they are counted apart from the requests in
 * flight. Half-sent requests of one client keep out only that client.
 */
export class AwaitedBodies {
  readonly #held: Readonly<Record<keyof typeof bounds, Awaited>>;

  constructor(clock: DeadlineClock) {
    const awaited = (kind: keyof typeof bounds): Awaited => ({
      places: new Bulkhead(bounds[kind]),
      deadlines: new Deadlines(clock, bounds[kind].ms, endLate),
    });
    this.#held = { anonymous: awaited('anonymous'), authenticated: awaited('authenticated') };
  }

  /** Stops the timeouts. Call it once no request is left. */
  close(): void {
    for (const { deadlines } of Object.values(this.#held)) deadlines.close();
  }

  /** How many bodies are awaited. */
  get total(): number {
    return this.#held.anonymous.places.total + this.#held.authenticated.places.total;
  }

  /**
   * Waits for the body of a request. If it does not arrive in time, an error on its stream makes the reader answer 408.
   * @returns a function to call once the body has arrived; null if too many bodies of this client are awaited
   */
  expect({ raw, ip, authenticated, logFields }: FastifyRequest): (() => void) | null {
    const { places, deadlines } = this.#held[authenticated ? 'authenticated' : 'anonymous'];
    const leave = places.enter((authenticated ? logFields.account : undefined) ?? siteOf(ip));
    if (leave === null) return null;
    deadlines.add(raw);
    const end = () => {
      leave();
      deadlines.delete(raw);
    };
    raw.once('close', end);
    return end;
  }
}

/** RFC 9112, section 6.3: a request has a body if it declares a content length or a transfer encoding. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function endLate(raw: IncomingMessage): void {
  if (raw.complete) return;
  // The reader of the body answers with the error. Without a reader there is nothing to answer.
  if (raw.listenerCount('error') > 0) raw.emit('error', tooSlow());
  else raw.destroy();
}

const tooSlow = () => new ApiError('request_timeout', 'The body of the request did not arrive in time.');
