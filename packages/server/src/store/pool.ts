import pg from 'pg';
import { systemClock } from '../lib/clock.ts';
import { cutOff } from './reach/cut-off.ts';

/**
 * A pool of connections in which a caller says which one it would like. pg-pool hands out the last of its idle ones; where
 * two callers ask in the same moment one may get another than it would like.
 */
export class Pool extends pg.Pool {
  readonly #open = new Set<pg.PoolClient>();

  constructor(options: pg.PoolConfig) {
    super(options);
    this.on('connect', (client) => {
      this.#open.add(client);
      client.once('end', () => this.#open.delete(client));
    });
  }

  /**
   * The next caller gets the idle connection that suits and was used last, or else the one that was not used for longest, so
   * that the others stay as they are.
   */
  prefer(suits: (client: pg.ClientBase) => boolean): void {
    // Not a part of its interface: without it connections are handed out in another order, and nothing else changes.
    const { _idle: idle = [] } = this as unknown as { readonly _idle?: { readonly client: pg.ClientBase }[] };
    if (idle.length < 2) return;
    const found = idle.findLastIndex(({ client }) => suits(client));
    idle.push(...idle.splice(Math.max(found, 0), 1));
  }

  /**
   * Ends all connections. One that its server does not end within `ms`, or that somebody still holds, is cut off: a server may
   * be silent for ever.
   */
  async endWithin(ms: number): Promise<void> {
    const ended = new AbortController();
    const all = [...this.#open].map((client) => new Promise<void>((resolve) => client.once('end', resolve)));
    await Promise.race([Promise.all([this.end(), ...all]), systemClock.delay(ms, ended.signal)]);
    ended.abort();
    for (const client of this.#open) cutOff(client);
  }
}
