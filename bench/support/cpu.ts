import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Shares of one core: 1 is one fully used core; null if unknown. */
export interface CpuShares {
  readonly server: number | null;
  readonly postgres: number | null;
  readonly generator: number | null;
  /** All other processes on the machine, which disturb the measurement. */
  readonly others: number | null;
}

export const unknownCpu: CpuShares = { server: null, postgres: null, generator: null, others: null };

/** The process ids whose CPU time counts for each role; absent if there is none. */
export interface CpuRoles {
  readonly server?: number;
  readonly postmaster?: number;
  readonly generator?: number;
}

interface Stat {
  readonly parent: number;
  readonly ownTicks: number;
  readonly endedChildrenTicks: number;
}

/** Linux reports these times in hundredths of a second on all architectures. */
const ticksPerSecond = 100;

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name is in parentheses and may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), ownTicks: ticks(11), endedChildrenTicks: ticks(13) };
  } catch {
    return undefined;
  }
}

export function parentOf(pid: number): number | undefined {
  return readStat(pid)?.parent;
}

const own = (pid: number | undefined) => (pid === undefined ? undefined : readStat(pid)?.ownTicks);

/** The CPU time of the postmaster and its children. When a backend ends, its time is added to the postmaster's. */
function family(postmaster: number | undefined): number | undefined {
  const head = postmaster === undefined ? undefined : readStat(postmaster);
  if (head === undefined) return undefined;
  let ticks = head.ownTicks + head.endedChildrenTicks;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat?.parent === postmaster) ticks += stat?.ownTicks ?? 0;
  }
  return ticks;
}

/** Busy ticks of all cores. A virtual machine's stolen time counts as busy, since it was not available. */
function machine(): number | undefined {
  try {
    const [, ...ticks] = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]?.split(/ +/) ?? [];
    const [user, nice, system, , , irq, softIrq, steal] = ticks.map(Number);
    return [user, nice, system, irq, softIrq, steal].reduce<number>((sum, one) => sum + (one ?? 0), 0);
  } catch {
    return undefined;
  }
}

function take({ server, postmaster, generator }: CpuRoles) {
  return {
    at: performance.now(),
    server: own(server),
    postgres: family(postmaster),
    generator: own(generator),
    machine: machine(),
  };
}

/** Starts a measurement. @returns a function that ends it and returns the shares between the two calls */
export function measureCpu(roles: CpuRoles): () => CpuShares {
  const before = take(roles);
  return () => {
    const after = take(roles);
    const seconds = (after.at - before.at) / 1000;
    const share = (from: number | undefined, to: number | undefined) =>
      from === undefined || to === undefined ? null : (to - from) / ticksPerSecond / seconds;
    const server = share(before.server, after.server);
    const postgres = share(before.postgres, after.postgres);
    const generator = share(before.generator, after.generator);
    const all = share(before.machine, after.machine);
    const ours = (server ?? 0) + (postgres ?? 0) + (generator ?? 0);
    return { server, postgres, generator, others: all === null ? null : Math.max(0, all - ours) };
  };
}

const quietShare = 0.1;
const sampleMs = 250;
const maxWaitMs = 20_000;

/**
 * Waits until the machine is idle, but at most 20 seconds. Otherwise the background work of a round, such as notifications and
 * the request log, would run during the next one.
 */
export async function untilQuiet(): Promise<void> {
  const began = performance.now();
  for (let quiet = 0; quiet < 2 && performance.now() - began < maxWaitMs; ) {
    const end = measureCpu({});
    await delay(sampleMs);
    quiet = (end().others ?? 0) < quietShare ? quiet + 1 : 0;
  }
}
