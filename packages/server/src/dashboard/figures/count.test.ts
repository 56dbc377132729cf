import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../store/tenant.ts';
import { createPeopleKit, type PeopleKit } from '../../users/test-kit.ts';
import { findTenant } from '../../vault/test-database.ts';
import { catchUp, countFigures, rebuildFigures } from './count.ts';
import { stepMs } from './measures.ts';
import { type PaymentOptions, TestData } from './test-data.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const hourMs = 3_600_000;
const start = Date.parse('2026-11-20T10:07:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000);

async function open() {
  const tenant = await findTenant(kit.db, await kit.openAccount());
  return { tenant, data: new TestData(kit.db, tenant) };
}

/** Every non-empty sum of a tenant, as text in a fixed order. */
async function sums(tenant: Tenant): Promise<Record<string, string[]>> {
  const of = async (columns: string, measures: string) => {
    const rows = await kit.db.query<{ row: string }>({
      text: `select to_jsonb(r) as row from (
               select ${columns} from figures
               where tenant = $1 and measure ~ $2 and (count <> 0 or amount <> 0) group by at, label) r`,
      values: [tenant.tenant, measures],
      scope: tenant,
    });
    return rows.map(({ row }) => JSON.stringify(row)).toSorted();
  };
  const sum = (name: string, measures: string, value = 'count') =>
    `coalesce(sum(${value}) filter (where measure ~ '^(${measures})$'), 0)::bigint as ${name}`;
  const refunds = (measure: string) =>
    of(
      `'${measure}' as measure, at, label, ${sum('refunds', measure)}, ${sum('amount', measure, 'amount')}`,
      `^${measure}$`,
    );
  return {
    payments: await of(
      `at as quarter, label as currency, ${sum('succeeded', 'payments_succeeded')},
       ${sum('amount', 'payments_succeeded', 'amount')}, ${sum('approved', 'payments_succeeded|payments_held')},
       ${sum('declined', 'payments_declined')}, ${sum('unfinished', 'payments_unfinished')}`,
      '^payments_',
    ),
    declines: await of(`at as quarter, label as failure_code, ${sum('payments', 'declines')}`, '^declines$'),
    refunds: [...(await refunds('refunds')), ...(await refunds('refunds_by_payment'))],
    requests: await of(`at as hour, label as step, ${sum('requests', 'requests')}`, '^requests$'),
    attempts: await of(
      `label as endpoint_id, at as hour, ${sum('first_attempts', 'attempts_succeeded|attempts_failed')},
       ${sum('first_succeeded', 'attempts_succeeded')}, ${sum('retries', 'retries_succeeded|retries_failed')},
       ${sum('retries_succeeded', 'retries_succeeded')}`,
      '^(attempts|retries)_',
    ),
  };
}

it('accounts that cannot be counted keep no others from it', async () => {
  const opened = [await open(), await open(), await open()];
  for (const { data } of opened) await data.pay({ at: at(0), status: 'succeeded', amount: 100 });
  const [broken, ...others] = opened.toSorted((a, b) => a.tenant.tenant - b.tenant.tenant);
  const db: typeof kit.db = {
    ...kit.db,
    transaction: (work) =>
      kit.db.transaction((tx) =>
        work({
          query: (statement) =>
            statement.values?.[0] === broken?.tenant.tenant
              ? Promise.reject(new Error('cannot be counted'))
              : tx.query(statement),
        }),
      ),
  };
  await expect(countFigures({ db, clock: kit.clock })).rejects.toThrow('could not be counted');
  for (const { tenant } of others) expect((await sums(tenant)).payments).toHaveLength(1);
});

describe('payments', () => {
  it('are summed up by the quarter hour in which they were made, as they stand now', async () => {
    const { tenant, data } = await open();
    await data.pay({ at: at(0), status: 'succeeded', amount: 100 });
    await data.pay({ at: at(7), status: 'succeeded', amount: 20 });
    await data.pay({ at: at(8), status: 'failed', failureCode: 'refused', amount: 3 });
    const waiting = await data.pay({ at: at(8), status: 'requires_action', amount: 5 });
    expect(await catchUp({ db: kit.db, clock: kit.clock }, tenant)).toBe(true);
    await data.move(waiting, { at: at(60), status: 'failed', failureCode: '3ds_abandoned' });
    await catchUp({ db: kit.db, clock: kit.clock }, tenant);
    const none = { succeeded: 0, amount: 0, approved: 0, declined: 0, unfinished: 0 };
    const row = (quarter: string, numbers: object) => ({
      quarter: `2026-11-20T${quarter}:00+00:00`,
      currency: 'EUR',
      ...none,
      ...numbers,
    });
    const { payments, declines } = await sums(tenant);
    expect(payments?.map((text) => JSON.parse(text))).toEqual([
      row('10:15', { declined: 1, unfinished: 1 }),
      row('10:00', { succeeded: 2, amount: 120, approved: 2 }),
    ]);
    expect(declines?.map((text) => JSON.parse(text))).toEqual([
      { quarter: '2026-11-20T10:15:00+00:00', failure_code: 'refused', payments: 1 },
    ]);
  });

  it('of others, and of the other mode, are not among them', async () => {
    const { tenant, data } = await open();
    const other = await findTenant(kit.db, tenant.accountId, true);
    await new TestData(kit.db, other).pay({ at: at(0), status: 'succeeded' });
    await data.pay({ at: at(0), status: 'voided' });
    await countFigures({ db: kit.db, clock: kit.clock });
    expect((await sums(tenant)).payments).toHaveLength(1);
    expect((await sums(other)).payments).toHaveLength(1);
  });
});

const firstStatuses = ['requires_action', 'authorized', 'succeeded', 'failed'] as const;
const moves: Readonly<Record<string, readonly PaymentOptions['status'][]>> = {
  requires_action: ['authorized', 'succeeded', 'failed'],
  authorized: ['succeeded', 'failed', 'voided'],
};
const action = fc.record({
  kind: fc.constantFrom('pay', 'pay', 'move', 'move', 'refund', 'settle', 'take back', 'count'),
  pick: fc.nat(1000),
  minutes: fc.nat(90),
  amount: fc.integer({ min: 1, max: 500 }),
  currency: fc.constantFrom('EUR', 'JPY'),
});
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Plays actions, and skips those that do not apply. */
async function play(actions: readonly Action[], tenant: Tenant, data: TestData): Promise<void> {
  const payments: { id: string; status: string }[] = [];
  const refunds: { id: string; status: string }[] = [];
  const settle = async (from: string, status: 'succeeded' | 'failed', { pick, minutes }: Action) => {
    const fitting = refunds.filter((refund) => refund.status === from);
    const refund = fitting[pick % Math.max(1, fitting.length)];
    if (refund === undefined) return;
    await data.settleRefund(refund.id, status, at(minutes));
    refund.status = status;
  };
  for (const one of actions) {
    const { pick, minutes, amount, currency } = one;
    const payment = payments[pick % Math.max(1, payments.length)];
    const next = moves[payment?.status ?? '']?.[pick % 3];
    if (one.kind === 'pay') {
      const status = firstStatuses[pick % 4] ?? 'failed';
      const id = await data.pay({ at: at(minutes), status, amount, currency });
      payments.push({ id, status });
    } else if (one.kind === 'move' && payment !== undefined && next !== undefined) {
      await data.move(payment.id, { at: at(minutes), status: next });
      payment.status = next;
    } else if (one.kind === 'refund' && payment !== undefined) {
      refunds.push({ id: await data.refund(payment.id, { at: at(minutes), amount }), status: 'pending' });
    } else if (one.kind === 'settle') {
      await settle('pending', pick % 2 === 0 ? 'succeeded' : 'failed', one);
    } else if (one.kind === 'take back') {
      await settle('succeeded', 'failed', one);
    } else if (one.kind === 'count') {
      await catchUp({ db: kit.db, clock: kit.clock }, tenant);
    }
  }
}

describe('counting step by step', () => {
  it('ends with the same sums as counting anew, in whatever order things happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const { tenant, data } = await open();
        await play(actions, tenant, data);
        await catchUp({ db: kit.db, clock: kit.clock }, tenant);
        const counted = await sums(tenant);
        await rebuildFigures({ db: kit.db, clock: kit.clock }, tenant.accountId);
        expect(await sums(tenant)).toEqual(counted);
      }),
      { numRuns: 25 },
    );
  });

  it('by many at once counts everything once', async () => {
    const { tenant, data } = await open();
    for (let minutes = 0; minutes < 20; minutes += 1)
      await data.pay({ at: at(minutes), status: 'succeeded' });
    const deps = { db: kit.db, clock: kit.clock };
    await Promise.all([catchUp(deps, tenant), catchUp(deps, tenant), countFigures(deps), countFigures(deps)]);
    await catchUp(deps, tenant);
    const counted = await sums(tenant);
    await rebuildFigures(deps, tenant.accountId);
    expect(await sums(tenant)).toEqual(counted);
  });

  it('by the job pauses after 500 events, and goes no further once the job is to end', async () => {
    const { tenant, data } = await open();
    for (let n = 0; n < 501; n += 1) await data.pay({ at: at(0), status: 'succeeded' });
    const stopping = new AbortController();
    const pauses: number[] = [];
    const delay = async (ms: number) => {
      pauses.push(ms);
      stopping.abort();
    };
    const count = async (signal?: AbortSignal) => {
      await countFigures({ db: kit.db, clock: { now: kit.clock.now, delay } }, signal);
      return (await sums(tenant)).payments?.map(
        (row) => (JSON.parse(row) as { succeeded: number }).succeeded,
      );
    };
    expect(await count(stopping.signal)).toEqual([500]);
    expect(pauses).toEqual([50]);
    expect(await count()).toEqual([501]);
    expect(pauses).toEqual([50]);
  });

  it('that ends halfway leaves nothing behind', async () => {
    const { tenant, data } = await open();
    await data.pay({ at: at(0), status: 'succeeded' });
    const broken = {
      ...kit.db,
      transaction: <T>(work: Parameters<typeof kit.db.transaction<T>>[0]) =>
        kit.db.transaction<T>(async (tx) => {
          await work(tx);
          throw new Error('the process ended');
        }),
    };
    await expect(catchUp({ db: broken, clock: kit.clock }, tenant)).rejects.toThrow('ended');
    expect((await sums(tenant)).payments).toEqual([]);
    await catchUp({ db: kit.db, clock: kit.clock }, tenant);
    expect((await sums(tenant)).payments).toHaveLength(1);
  });
});

describe('requests and attempts', () => {
  it('are summed up by the hour, and made anew as far back as logs are kept', async () => {
    const { tenant, data } = await open();
    const deps = { db: kit.db, clock: kit.clock };
    // Moves past everything that other tests have counted.
    kit.clock.move(5 * hourMs);
    const now = kit.clock.now().getTime();
    const endpoint = await data.endpoint(new Date(now));
    for (const ms of [0, 1, 2, 90, 100, 5000]) await data.request(new Date(now - 2 * hourMs), ms);
    await data.attempt(endpoint, new Date(now - 2 * hourMs), 1, 200);
    await data.attempt(endpoint, new Date(now - 2 * hourMs), 1, 500);
    await data.attempt(endpoint, new Date(now - 2 * hourMs), 1, null);
    await data.attempt(endpoint, new Date(now - hourMs), 2, 204);
    await data.attempt(endpoint, new Date(now - hourMs), 3, 500);
    // Too recent: other attempts of that time may not be recorded yet.
    await data.attempt(endpoint, new Date(now - 1000), 1, 200);
    await countFigures(deps);
    await countFigures(deps);
    const counted = await sums(tenant);
    expect(counted.requests).toHaveLength(5);
    expect(counted.attempts?.map((row) => JSON.parse(row))).toMatchObject([
      { first_attempts: 3, first_succeeded: 1, retries: 0, retries_succeeded: 0 },
      { first_attempts: 0, first_succeeded: 0, retries: 2, retries_succeeded: 1 },
    ]);
    await kit.db.query({
      text: `insert into figures (tenant, measure, at, label, count, amount)
             values ($1, 'requests', $2, '4', 7, 0), ($1, 'requests', $3, '4', 7, 0)`,
      values: [tenant.tenant, new Date('2026-01-01T00:00:00Z'), new Date('2026-11-20T09:00:00Z')],
      scope: tenant,
    });
    await rebuildFigures(deps, tenant.accountId);
    const rebuilt = await sums(tenant);
    expect(rebuilt.attempts).toEqual(counted.attempts);
    // Sums older than the logs stay; sums that the logs contradict are removed.
    expect(rebuilt.requests?.filter((row) => !counted.requests?.includes(row))).toEqual([
      expect.stringContaining('2026-01-01'),
    ]);
    expect(rebuilt.requests).toHaveLength(6);
  });

  it('are estimated from histogram steps to about 5 %', async () => {
    const { tenant, data } = await open();
    const durations = [1, 2, 3, 4, 5, 7, 11, 25, 90, 340, 5120, 60_000];
    for (const ms of durations) await data.request(at(0), ms);
    await countFigures({ db: kit.db, clock: kit.clock });
    const steps = await kit.db.query<{ step: number }>({
      text: `select label::int as step from figures
             where tenant = $1 and measure = 'requests' order by 1`,
      values: [tenant.tenant],
      scope: tenant,
    });
    expect(steps).toHaveLength(durations.length);
    for (const [index, { step }] of steps.entries()) {
      const ms = durations[index] ?? 0;
      expect(Math.abs(stepMs(step) - ms) / ms).toBeLessThan(ms < 10 ? 0.01 : 0.06);
    }
  });
});
