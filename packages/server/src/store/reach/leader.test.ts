import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../database.ts';
import { Outage } from './outage.ts';
import { ask, type ServerPair, startPair, type TestServer } from './test-servers.ts';

let pair: ServerPair;
let lines: string[] = [];
let db: Database;

beforeEach(async () => {
  pair = await startPair();
  const note = (text: string) => lines.push(text);
  const log = { error: note, warn: note, info: note };
  db = openDatabase({
    url: pair.url,
    connections: 4,
    applicationName: 'till test',
    statementMs: 10_000,
    acquireMs: 3_000,
    outage: new Outage(log, () => performance.now()),
    onError: () => {},
  });
  // Finding servers that have just started may take longer than a caller waits.
  await expect
    .poll(() => db.query({ text: 'create table if not exists kept (n int)', scope: 'anybody' }))
    .toEqual([]);
  lines = [];
}, 60_000);

afterEach(async () => {
  await db.close();
  await pair.remove();
});

const insert = () => db.query({ text: 'insert into kept values (1)', scope: 'anybody' });
const ports = async () => {
  const rows = await Promise.all(
    Array.from({ length: 4 }, () =>
      db.query<{ port: number }>({
        text: 'select inet_server_port() as port, pg_sleep(0.05)',
        scope: 'anybody',
      }),
    ),
  );
  return [...new Set(rows.flat().map(({ port }) => port))];
};

/** Writes until a write succeeds. @returns the time since `began`, the errors until then, and the longest single attempt */
async function outageFrom(began: number): Promise<{ ms: number; errors: unknown[]; maxMs: number }> {
  const errors: unknown[] = [];
  let maxMs = 0;
  for (;;) {
    const asked = performance.now();
    try {
      await insert();
      return { ms: performance.now() - began, errors, maxMs };
    } catch (error) {
      errors.push(error);
    } finally {
      maxMs = Math.max(maxMs, performance.now() - asked);
    }
    if (performance.now() - began > 20_000) throw new Error('not back within 20 s', { cause: errors.at(-1) });
    await delay(20);
  }
}

const expectOneOutage = () => expect(lines).toEqual(['the database is away', 'the database is back']);

async function promote(server: TestServer): Promise<number> {
  await server.promote();
  return performance.now();
}

describe('of two servers', () => {
  it('the one that takes writes is found, and the other within five seconds of its promotion', async () => {
    expect(await ports()).toEqual([pair.leader.port]);
    await pair.leader.stop('SIGQUIT');
    const failing = outageFrom(performance.now());
    await delay(300);
    const [{ ms }, { errors }] = await Promise.all([promote(pair.standby).then(outageFrom), failing]);
    expect(ms).toBeLessThan(5_000);
    expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
    expect(await ports()).toEqual([pair.standby.port]);
    expectOneOutage();
  });

  it('one that hangs without closing is left as soon as another leads; what waited for it fails at once', async () => {
    await ports();
    pair.leader.hold('SIGSTOP');
    const stuck = Array.from({ length: 4 }, () => insert().then(() => 'done', isUnavailable));
    const { ms } = await outageFrom(await promote(pair.standby));
    expect(ms).toBeLessThan(5_000);
    expect(await Promise.all(stuck)).toEqual([true, true, true, true]);
    // The old leader is back and still believes that it leads: nothing is sent to it.
    pair.leader.hold('SIGCONT');
    await delay(1_000);
    expect(await ask(pair.leader.port, 'select pg_is_in_recovery() as standby')).toEqual([
      { standby: false },
    ]);
    expect(await ports()).toEqual([pair.standby.port]);
    expectOneOutage();
    // Not even if it is the only server left; the log says why.
    await pair.standby.stop('SIGQUIT');
    await expect
      .poll(() => insert().then(() => '', String))
      .toMatch(/: leader of 00000001, earlier than 00000002/);
    expect(lines.slice(2).toSorted()).toEqual([
      'a server of an earlier timeline takes writes',
      'the database is away',
    ]);
  });

  it('none leads for long: every statement is answered soon, and the first leader is found again', async () => {
    await ports();
    pair.leader.hold('SIGSTOP');
    const began = performance.now();
    const stuck = Array.from({ length: 8 }, () => insert().then(() => 'done', isUnavailable));
    expect(await Promise.all(stuck)).toEqual(Array(8).fill(true));
    expect(performance.now() - began).toBeLessThan(11_000);
    await expect(insert()).rejects.toThrow(
      /no server of the database takes writes \(.*: standby; .*: it does not/,
    );
    pair.leader.hold('SIGCONT');
    expect((await outageFrom(performance.now())).ms).toBeLessThan(5_000);
    expectOneOutage();
  });

  it('a connection whose server refuses to write is dropped, and the server asked again', async () => {
    await ports();
    await ask(pair.leader.port, 'alter system set default_transaction_read_only = on');
    await ask(pair.leader.port, 'select pg_reload_conf()');
    // The backends of the database are signalled one after the other, and then read the changed configuration.
    await expect.poll(() => insert().then(() => false, isUnavailable)).toBe(true);
    const began = await promote(pair.standby);
    expect((await outageFrom(began)).ms).toBeLessThan(5_000);
    expect(await ports()).toEqual([pair.standby.port]);
  });
});
