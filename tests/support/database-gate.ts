import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CleanUp } from './clean-up.ts';

/** A proxy in front of a database that forwards everything, refuses connections, or lets its clients wait. */
export interface DatabaseGate {
  /** The database's URL through the proxy. */
  readonly url: string;
  /**
   * `open` forwards everything, `shut` closes all connections and refuses new ones, `silent` does not forward
   * what clients send.
   */
  set(state: 'open' | 'shut' | 'silent'): void;
}

/** @param url of a database on a unix socket */
export async function databaseGate(cleanUp: CleanUp, url: string): Promise<DatabaseGate> {
  const folder = await mkdtemp(join(tmpdir(), 'till-gate-'));
  const target = new URL(url.replace('@/', '@localhost/'));
  const port = target.searchParams.get('port') ?? (target.port || '5432');
  const name = `.s.PGSQL.${port}`;
  const host = target.searchParams.get('host') ?? '';
  let state: Parameters<DatabaseGate['set']>[0] = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    client.on('error', () => {});
    if (state === 'shut') return void client.destroy();
    const upstream = connect(join(host, name));
    const pair = [client, upstream] as const;
    pairs.add(pair);
    upstream.on('error', () => {});
    client.pipe(upstream);
    upstream.pipe(client);
    if (state === 'silent') client.pause();
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    client.on('close', end);
    upstream.on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  cleanUp.add(async () => {
    for (const [client] of pairs) client.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: url.replace(encodeURIComponent(host), encodeURIComponent(folder)).replace(host, folder),
    set(next) {
      state = next;
      for (const [client] of pairs) {
        if (next === 'shut') client.destroy();
        else if (next === 'silent') client.pause();
        else client.resume();
      }
    },
  };
}
