import type { IncomingMessage } from 'node:http';
import { ApiError } from '@till/contract';
import type { FastifyRequest } from 'fastify';
import { Bulkhead } from '../../lib/waiting/bulkhead.ts';
import { type DeadlineClock, Deadlines } from '../../lib/waiting/deadlines.ts';
import { siteOf } from '../../lib/web/network.ts';

/** How many bodies may be awaited of one client and in all, and how long each may take. */
const bounds = {
  /** By address: nobody knows whose they are. */
  anonymous: { each: 32, all: 512, ms: 5_000 },
  /** By account, where a key or a session was shown. A file may take longer than a few hundred bytes. */
  authenticated: { each: 64, all: 256, ms: 20_000 },
};

interface Awaited {
  readonly places: Bulkhead;
  readonly deadlines: Deadlines<IncomingMessage>;
}

/**
 * Bounds the requests whose body is still to come. They take nothing from others but a little memory, so that they are
 * counted for themselves: half-sent requests of one client keep out nobody but that client.
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

  /** Ends no wait any more; once no request is left. */
  close(): void {
    for (const { deadlines } of Object.values(this.#held)) deadlines.close();
  }

  /** How many are awaited. */
  get total(): number {
    return this.#held.anonymous.places.total + this.#held.authenticated.places.total;
  }

  /**
   * Waits for the body of a request. One that does not come in time is answered 408 by an error on its stream.
   * @returns what to call once it has come; null where too many of this client are awaited
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

/** RFC 9112, section 6.3: a request has a body where it says how long it is, or that it comes in chunks. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function endLate(raw: IncomingMessage): void {
  if (raw.complete) return;
  // The reader of the body answers with the error; where nobody reads it there is nothing to answer.
  if (raw.listenerCount('error') > 0) raw.emit('error', tooSlow());
  else raw.destroy();
}

const tooSlow = () => new ApiError('request_timeout', 'The body of the request did not arrive in time.');
