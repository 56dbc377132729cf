import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { openPool } from '../crash/world.ts';
import { CleanUp } from '../support/clean-up.ts';
import { until } from '../support/until.ts';
import { Cluster, whyNot } from './cluster.ts';
import { countMessages } from './main.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run, 60_000);

const reason = whyNot();

describe(`a cluster led by Patroni${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  it.skipIf(reason !== null)(
    'comes up on one machine, and a switchover keeps what was written',
    async () => {
      const cluster = await Cluster.start(cleanUp, 18_430);
      const db = await openPool(cluster.url);
      cleanUp.add(() => db.close());
      const query = (text: string) => db.query<{ n: number }>({ text, scope: 'anybody' });
      await query('create table kept (n int)');
      await query('insert into kept values (1)');
      const former = await cluster.memberWith('Leader');
      const isOther = async () => (await cluster.memberWith('Leader')) !== former;
      await until(
        'another member leads',
        async () => {
          // Patroni refuses a switchover while no standby is in sync, which takes longer on a slow machine.
          await cluster.switchover().catch(() => {});
          return until('it is seen', isOther, 10_000).catch(() => false as const);
        },
        120_000,
      );
      const rows = await until(
        'it can be written to again',
        () =>
          query('insert into kept values (2)').then(
            () => query('select n from kept order by n'),
            () => false as const,
          ),
        60_000,
      );
      expect(rows[0]).toEqual({ n: 1 });
      expect(await cluster.memberWith('Leader')).not.toBe(former);
    },
    300_000,
  );
});

it("Patroni speaks the protocol of etcd in which a leader's lock is compared before it is written", async () => {
  const read = (name: string) => readFile(new URL(`../../deploy/patroni/${name}`, import.meta.url), 'utf8');
  // With the other protocol, a former leader that was frozen sometimes takes its lock back (patroni#2689).
  expect((await read('patroni.yml')).match(/^etcd\w*:/gm)).toEqual(['etcd:']);
  expect(await read('etcd.service.d/till.conf')).toMatch(/^Environment=ETCD_ENABLE_V2=true$/m);
  expect(await read('on-one-machine')).toContain(' --enable-v2 ');
});

it('lines of the log are counted by what they say', () => {
  const lines = [
    '{"msg":"the database is away","error":"Error: x"}',
    '{"msg":"it failed","error":"Error: y"}',
    '',
  ];
  expect(countMessages([...lines, ...lines])).toBe('2 x the database is away, 2 x it failed Error: y');
  expect(countMessages([''])).toBe('nothing');
});
