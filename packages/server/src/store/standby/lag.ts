import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';
import { type Position, positionQuery } from './replica.ts';

const pauseMs = 100;

/** How far a standby is behind its primary. `leads`: it accepts writes itself. `other_cluster`: it belongs to another cluster. */
export type Lag =
  | { readonly kind: 'near'; readonly ms: number }
  | { readonly kind: 'behind' | 'leads' | 'other_cluster' };

/** Waits until a standby has everything that its primary has at the time of the call. @param maxMs the longest wait */
export async function lagOf(
  primary: Queryable,
  standby: Queryable,
  clock: Pick<Clock, 'elapsed' | 'delay'>,
  maxMs: number,
): Promise<Lag> {
  const [wanted] = await primary.query<Position>(positionQuery('primary'));
  if (wanted === undefined || wanted.position === null) throw new Error('DATABASE_URL names no primary');
  const began = clock.elapsed();
  for (;;) {
    const [found] = await standby.query<Position>(positionQuery('standby'));
    if (found?.cluster !== wanted.cluster) return { kind: 'other_cluster' };
    if (found.position === null) return { kind: 'leads' };
    const ms = clock.elapsed() - began;
    if (BigInt(found.position) >= BigInt(wanted.position)) return { kind: 'near', ms };
    if (ms >= maxMs) return { kind: 'behind' };
    await clock.delay(pauseMs);
  }
}
