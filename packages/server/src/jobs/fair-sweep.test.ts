import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { until } from '../processor-notifications/test-kit.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import { FairSweep } from './fair-sweep.ts';
import { never } from './test-kit.ts';

/** Due rows by account, in memory. */
function queueOf(
  due: Record<string, number>,
  work: (row: string) => Promise<void>,
  options: { places?: number; perTenant?: number; failing?: string; error?: Error } = {},
) {
  const errors: string[] = [];
  const polledAfter: string[] = [];
  const names: string[] = [];
  const numberOf = (name: string): TenantId => {
    if (!names.includes(name)) names.push(name);
    return (names.indexOf(name) + 1) as TenantId;
  };
  const queue = new FairSweep<string>({
    places: options.places ?? 16,
    ...(options.perTenant === undefined ? {} : { perTenant: options.perTenant }),
    async dueTenants(after, max) {
      polledAfter.push(after.accountId);
      return Object.keys(due)
        .filter((id) => id > after.accountId && (due[id] ?? 0) > 0)
        .sort()
        .slice(0, max)
        .map((accountId): Tenant => ({ tenant: numberOf(accountId), accountId, livemode: false }));
    },
    async take({ accountId }, max) {
      if (accountId === options.failing) throw options.error ?? new Error(`${accountId} cannot be taken`);
      const count = Math.min(max, due[accountId] ?? 0);
      due[accountId] = (due[accountId] ?? 0) - count;
      return { rows: Array.from({ length: count }, () => accountId), more: count === max };
    },
    work,
    onError: (error, { accountId }) => void errors.push(`${accountId}: ${(error as Error).message}`),
  });
  return { queue, errors, polledAfter };
}

describe('a fair sweep', () => {
  it('serves accounts round robin: no third row of one before the first of each', async () => {
    const order: string[] = [];
    const { queue } = queueOf({ a: 1000, b: 1, c: 3 }, async (row) => void order.push(row), { places: 1 });
    expect(await queue.run()).toBe(1004);
    expect(order.indexOf('b')).toBeLessThanOrEqual(2);
    expect(order.lastIndexOf('c')).toBeLessThanOrEqual(6);
  });

  it('leaves four of five places to others while the work of one account hangs', async () => {
    const begun: string[] = [];
    const due = { hangs: 1000, quick: 0 };
    const { queue } = queueOf(
      due,
      async (row) => {
        begun.push(row);
        if (row === 'hangs') await never();
      },
      { places: 64 },
    );
    await queue.poll();
    await until('the places of one account are taken', async () => begun.length >= 13);
    for (let polls = 0; polls < 5; polls += 1) await queue.poll();
    due.quick = 500;
    await queue.poll();
    await until('all of the other account is done', async () => begun.length >= 513);
    expect(begun.filter((row) => row === 'hangs')).toHaveLength(13);
  });

  it('has a place for one more account until as many hang as there are places', async () => {
    const begun = new Set<string>();
    const due = Object.fromEntries(
      Array.from({ length: 40 }, (_one, n) => [`a${String(n).padStart(2, '0')}`, 50]),
    );
    const { queue } = queueOf(
      due,
      async (row) => {
        begun.add(row);
        await never();
      },
      { places: 64, perTenant: 1 },
    );
    await queue.poll();
    await until('every account was served', async () => begun.size === 40);
  });

  it('continues with other accounts where the rows of one cannot be taken or fail', async () => {
    const done: string[] = [];
    const { queue, errors } = queueOf(
      { a: 2, b: 3, c: 3 },
      async (row) => {
        if (row === 'b') throw new Error('failed');
        done.push(row);
      },
      { failing: 'a' },
    );
    await queue.run();
    expect(done).toEqual(['c', 'c', 'c']);
    expect(errors.toSorted()).toEqual([
      'a: a cannot be taken',
      ...Array.from({ length: 3 }, () => 'b: failed'),
    ]);
  });

  it('continues with other accounts where one is being moved to another cell', async () => {
    const order: string[] = [];
    const error = Object.assign(new pg.DatabaseError('moved', 1, 'error'), { code: 'TM001', detail: 'a' });
    const { queue } = queueOf({ a: 1, b: 1 }, async (row) => void order.push(row), { failing: 'a', error });
    await queue.run();
    expect(order).toEqual(['b']);
  });

  it('the next poll begins after the last queued account where more are due than the queue holds', async () => {
    const due = Object.fromEntries(
      Array.from({ length: 2500 }, (_one, n) => [`a${String(n).padStart(4, '0')}`, 1]),
    );
    const done = new Set<string>();
    const { queue, polledAfter } = queueOf(due, async (row) => void done.add(row));
    await queue.run();
    expect(done.size).toBe(2500);
    expect(polledAfter).toEqual(['', 'a0999', 'a1999']);
  });

  it('starts nothing after stop, and waits for running work', async () => {
    const begun: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { queue } = queueOf(
      { a: 100 },
      async (row) => {
        begun.push(row);
        await ended;
      },
      { perTenant: 2 },
    );
    await queue.poll();
    await until('it began', async () => begun.length === 2);
    const stopped = queue.stop();
    end();
    await stopped;
    await queue.poll();
    expect(begun).toHaveLength(2);
  });
});
