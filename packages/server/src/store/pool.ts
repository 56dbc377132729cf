import pg from 'pg';

/**
 * A pool of connections in which a caller says which one it would like. pg-pool hands out the last of its idle ones; where
 * two callers ask in the same moment one may get another than it would like.
 */
export class Pool extends pg.Pool {
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
}
