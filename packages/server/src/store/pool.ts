import pg from 'pg';
import { systemClock } from '../lib/clock.ts';
import { cutOff } from './reach/cut-off.ts';

/**
 * A connection pool in which a caller can state a preference. pg-pool hands out the last of its idle connections; if two callers
 * ask at the same moment, one may get another connection than it prefers.
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
   * Gives the next caller the most recently used idle connection that suits. If none suits, the least recently used one, so that
   * the other connections keep their settings.
   */
  prefer(suits: (client: pg.ClientBase) => boolean): void {
    // `_idle` is not part of pg-pool's interface. Without it connections are only handed out in another order.
    const { _idle: idle = [] } = this as unknown as { readonly _idle?: { readonly client: pg.ClientBase }[] };
    if (idle.length < 2) return;
    const found = idle.findLastIndex(({ client }) => suits(client));
    idle.push(...idle.splice(Math.max(found, 0), 1));
  }

  /**
   * Closes all connections. A connection that its server does not close within `ms`, or that a caller still holds, is cut off,
   * because a server may never respond.
   */
  async endWithin(ms: number): Promise<void> {
    const ended = new AbortController();
    const all = [...this.#open].map((client) => new Promise<void>((resolve) => client.once('end', resolve)));
    await Promise.race([Promise.all([this.end(), ...all]), systemClock.delay(ms, ended.signal)]);
    ended.abort();
    for (const client of this.#open) cutOff(client);
  }
}
