import { setTimeout as pause } from 'node:timers/promises';
import { queryDatabase } from '../support/fresh-database.ts';
import type { Cluster } from './cluster.ts';

/** A fault that is injected into the cluster while payments run. */
export interface Blow {
  readonly name: string;
  /** The number of seconds within which payments must succeed again. */
  readonly withinSeconds: number;
  strike(cluster: Cluster): Promise<void>;
  /** Restores the affected part. @returns the problems found */
  repair(cluster: Cluster): Promise<string[]>;
}

const killSeconds = 30;
const switchoverSeconds = 5;
const relockMs = 15_000;

/** Tries repeatedly to write to a former primary. @returns the number of writes that it accepted */
async function writesTaken(port: number): Promise<number> {
  const deadline = performance.now() + relockMs;
  const url = `postgresql://till:till@127.0.0.1:${port}/till`;
  const write = () =>
    queryDatabase(url, `set statement_timeout = '2s'; insert into taken_alone values (now())`).then(
      () => 1,
      () => 0,
    );
  let taken = 0;
  while (performance.now() < deadline) taken += (await Promise.race([write(), pause(3_000, 0)])) || 0;
  return taken;
}

const faultsOfReturn = (writes: number, leads: boolean): string[] => [
  ...(writes === 0 ? [] : [`the old leader took ${writes} writes after its return`]),
  ...(leads ? ['the old leader leads again'] : []),
];

/** Creates the faults of one run. They share the number of the member that was hit. */
export function planBlows(): Blow[] {
  let struck = 0;
  const quiet = async () => [];
  const bringBack = (names: readonly string[]) => async (cluster: Cluster) => {
    for (const name of names) await cluster.start(name);
    return [];
  };
  return [
    {
      name: "kill -9 of the leader's postmaster",
      withinSeconds: killSeconds,
      async strike(cluster) {
        await cluster.kill(await cluster.postmaster(await cluster.memberWith('Leader')));
      },
      repair: quiet,
    },
    {
      name: "kill -9 of the leader's Patroni",
      withinSeconds: killSeconds,
      async strike(cluster) {
        struck = await cluster.memberWith('Leader');
        await cluster.kill(await cluster.part(`patroni${struck}`));
      },
      repair: (cluster) => bringBack([`patroni${struck}`])(cluster),
    },
    {
      name: "the leader's machine stops, and goes on later",
      withinSeconds: killSeconds,
      async strike(cluster) {
        struck = await cluster.memberWith('Leader');
        await queryDatabase(
          cluster.url.replace(/@.*\/till/, `@127.0.0.1:${cluster.port + struck}/till`),
          'create table if not exists taken_alone (at timestamptz)',
        );
        await cluster.hold(struck, 'SIGSTOP');
      },
      async repair(cluster) {
        const writing = writesTaken(cluster.port + struck);
        await cluster.hold(struck, 'SIGCONT');
        return faultsOfReturn(await writing, struck === (await cluster.memberWith('Leader')));
      },
    },
    {
      name: 'switchover',
      withinSeconds: switchoverSeconds,
      strike: (cluster) => cluster.switchover(),
      repair: quiet,
    },
    {
      name: "loss of etcd's majority",
      withinSeconds: killSeconds,
      async strike(cluster) {
        for (const name of ['etcd1', 'etcd2']) await cluster.kill(await cluster.part(name));
      },
      repair: bringBack(['etcd1', 'etcd2']),
    },
    {
      name: 'loss of the synchronous standby',
      withinSeconds: killSeconds,
      async strike(cluster) {
        struck = await cluster.memberWith('Sync Standby');
        await cluster.kill(await cluster.part(`patroni${struck}`));
        await cluster.kill(await cluster.postmaster(struck));
      },
      repair: (cluster) => bringBack([`patroni${struck}`])(cluster),
    },
  ];
}
