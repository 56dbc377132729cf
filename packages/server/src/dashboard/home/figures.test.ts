import type { Charts, CurrencyFigures } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findTenant } from '../../vault/test-database.ts';
import { TestData } from '../figures/test-data.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { percentile } from './charts.ts';
import { homeDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
let account: string;
let data: TestData;
beforeAll(async () => {
  kit = await createDashboardKit();
  homeDashboardRoutes(kit.api, kit);
});
afterAll(() => kit.drop());
beforeEach(async () => {
  account = await kit.openAccount();
  data = new TestData(kit.db, await findTenant(kit.db, account));
});

/** The test clock shows noon of 20 November 2026 in UTC. */
const daysAgo = (days: number, time = '08:00') =>
  new Date(Date.parse(`2026-11-20T${time}:00Z`) - days * 86_400_000);

async function read(path: string, role: 'viewer' | 'owner' = 'viewer') {
  const { call } = await kit.signIn(account, role);
  return call('GET', `/accounts/${account}${path}`);
}

async function keyFigures(query = ''): Promise<CurrencyFigures[]> {
  const reply = await read(`/figures${query}`);
  expect([reply.status, reply.body.complete]).toEqual([200, true]);
  return reply.body.data;
}

async function charts(query = '', role: 'viewer' | 'owner' = 'viewer'): Promise<Charts> {
  const reply = await read(`/charts${query}`, role);
  expect(reply.status).toBe(200);
  return reply.body;
}

describe('key figures', () => {
  it('never mix currencies, and compare with the days before', async () => {
    await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 1000 });
    await data.pay({ at: daysAgo(0), status: 'authorized', amount: 7 });
    await data.pay({ at: daysAgo(0), status: 'failed', failureCode: 'refused' });
    await data.pay({ at: daysAgo(0), status: 'failed', failureCode: '3ds_abandoned' });
    await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 500, currency: 'JPY' });
    await data.pay({ at: daysAgo(1, '11:00'), status: 'succeeded', amount: 10 });
    // Later than the current time of day, so not part of the comparison.
    await data.pay({ at: daysAgo(1, '13:00'), status: 'succeeded', amount: 100_000 });
    await data.pay({ at: daysAgo(10), status: 'succeeded', amount: 4 });
    await data.pay({ at: daysAgo(45), status: 'succeeded', amount: 6 });
    await data.pay({ at: daysAgo(70), status: 'succeeded', amount: 99 });
    const [euro, yen, ...others] = await keyFigures();
    expect(others).toEqual([]);
    expect(euro?.today).toMatchObject({
      now: { payments: 1, volume: 1000, approved: 2, declined: 1 },
      before: { payments: 1, volume: 10, approved: 1, declined: 0 },
    });
    expect([euro?.days_7.now.volume, euro?.days_7.before.volume]).toEqual([101_010, 4]);
    expect([euro?.days_30.now.volume, euro?.days_30.before.volume]).toEqual([101_014, 6]);
    expect(euro?.daily_volume.slice(-3)).toEqual([0, 100_010, 1000]);
    expect(euro?.daily_volume).toHaveLength(30);
    expect(yen).toMatchObject({ currency: 'JPY', today: { now: { payments: 1, volume: 500, declined: 0 } } });
  });

  it('count refunds and disputes by their own day', async () => {
    const old = await data.pay({ at: daysAgo(100), status: 'succeeded', amount: 900 });
    await data.settleRefund(await data.refund(old, { at: daysAgo(2), amount: 30 }), 'succeeded', daysAgo(2));
    await data.settleRefund(await data.refund(old, { at: daysAgo(2), amount: 31 }), 'failed', daysAgo(2));
    await data.refund(old, { at: daysAgo(2), amount: 32 });
    await data.dispute(old, { at: daysAgo(3), amount: 200 });
    await data.dispute(old, { at: daysAgo(3) });
    await data.dispute(old, { at: daysAgo(3), state: 'information_request' });
    const [euro] = await keyFigures();
    expect(euro?.days_7.now).toMatchObject({
      payments: 0,
      refunds: 1,
      refunded: 30,
      disputes: 2,
      disputed: 1100,
    });
    expect(euro?.today.now).toMatchObject({ refunds: 0, disputes: 0 });
  });

  it("go by the days of the reader's time zone", async () => {
    await data.pay({ at: daysAgo(1, '23:30'), status: 'succeeded', amount: 5 });
    const todayIn = async (zone: string) =>
      (await keyFigures(`?time_zone=${encodeURIComponent(zone)}`))[0]?.today.now.volume;
    expect(await todayIn('UTC')).toBe(0);
    expect(await todayIn('Europe/Berlin')).toBe(5);
    const refused = await read('/figures?time_zone=Nowhere');
    expect([refused.status, refused.body.error.param]).toEqual([422, 'time_zone']);
  });

  it('are empty where nothing happened', async () => {
    expect(await keyFigures()).toEqual([]);
  });
});

describe('charts', () => {
  it('have one number for each day', async () => {
    await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 100 });
    await data.pay({ at: daysAgo(6), status: 'succeeded', amount: 20 });
    await data.pay({ at: daysAgo(6), status: 'voided', amount: 3 });
    await data.pay({ at: daysAgo(7), status: 'succeeded', amount: 4 });
    await data.pay({ at: daysAgo(0), status: 'failed', failureCode: 'refused' });
    await data.pay({ at: daysAgo(0), status: 'failed', failureCode: 'confirmation_expired' });
    await data.pay({ at: daysAgo(0), status: 'requires_action' });
    const week = await charts('?range=7');
    expect(week.days).toEqual([14, 15, 16, 17, 18, 19, 20].map((day) => `2026-11-${day}`));
    expect(week.volume).toEqual({ payments: [1, 0, 0, 0, 0, 0, 1], amount: [20, 0, 0, 0, 0, 0, 100] });
    expect(week.success).toEqual({
      approved: [2, 0, 0, 0, 0, 0, 1],
      declined: [0, 0, 0, 0, 0, 0, 1],
      unfinished: [0, 0, 0, 0, 0, 0, 1],
    });
    expect(week.declines).toEqual([{ code: 'refused', payments: [0, 0, 0, 0, 0, 0, 1] }]);
    for (const range of ['30', '90']) {
      const longer = await charts(`?range=${range}`);
      expect([longer.days.length, longer.volume.amount.at(-8)]).toEqual([Number(range), 4]);
    }
  });

  it('show the volume of one currency, of the most used one unless another is named', async () => {
    for (let count = 0; count < 3; count += 1) {
      await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 1, currency: 'SEK' });
    }
    await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 100_000 });
    expect(await charts()).toMatchObject({ currencies: ['SEK', 'EUR'], currency: 'SEK' });
    const euro = await charts('?currency=EUR');
    expect([euro.currency, euro.volume.amount.at(-1)]).toEqual(['EUR', 100_000]);
    expect((await charts('?currency=USD')).volume.amount.at(-1)).toBe(0);
  });

  it('name the six most frequent reasons and put the rest together', async () => {
    const codes = [
      'refused',
      'do_not_honor',
      'expired_card',
      'insufficient_funds',
      'invalid_cvv',
      'lost_card',
      'stolen_card',
    ];
    for (const [index, code] of [...codes, 'pickup_card'].entries()) {
      for (let count = index; count < 9; count += 1) {
        await data.pay({ at: daysAgo(1), status: 'failed', failureCode: code });
      }
    }
    const { declines } = await charts('?range=7');
    expect(declines.map(({ code, payments }) => [code, payments.at(-2)])).toEqual([
      ...codes.slice(0, 6).map((code, index) => [code, 9 - index]),
      ['other', 5],
    ]);
  });

  it('show refunds and disputes by the month of their payment', async () => {
    const september = new Date('2026-09-10T12:00:00Z');
    const paid = await data.pay({ at: september, status: 'succeeded', amount: 1000 });
    await data.pay({ at: september, status: 'succeeded', amount: 3000 });
    const yen = await data.pay({ at: september, status: 'succeeded', amount: 1, currency: 'JPY' });
    await data.pay({ at: daysAgo(0), status: 'succeeded', amount: 50 });
    const refund = await data.refund(paid, { at: daysAgo(1), amount: 250 });
    await data.settleRefund(refund, 'succeeded', daysAgo(1));
    await data.dispute(paid, { at: daysAgo(1), amount: 400 });
    await data.dispute(yen, { at: daysAgo(1) });
    const { months } = await charts('?range=7');
    const place = months.labels.indexOf('2026-09');
    expect(months.labels).toEqual(['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11']);
    const { labels: _labels, ...sums } = months;
    expect(Object.fromEntries(Object.entries(sums).map(([name, values]) => [name, values[place]]))).toEqual({
      payments: 2,
      amount: 4000,
      refunds: 1,
      refunded: 250,
      disputes: 1,
      disputed: 400,
    });
    expect([months.payments.at(-1), months.refunds.at(-1)]).toEqual([1, 0]);
  });

  it('show how long requests took', async () => {
    for (let ms = 1; ms <= 100; ms += 1) await data.request(daysAgo(1), ms);
    const { latency } = await charts('?range=7');
    expect([latency.requests.at(-2), latency.requests.at(-1), latency.p50.at(-1)]).toEqual([100, 0, null]);
    const close = (value: number | null | undefined, ms: number) =>
      expect(Math.abs((value ?? 0) - ms) / ms).toBeLessThan(0.06);
    close(latency.p50.at(-2), 50);
    close(latency.p95.at(-2), 95);
    close(latency.p99.at(-2), 99);
  });

  it('show how webhooks do, to roles that may see endpoints', async () => {
    const endpoint = await data.endpoint(daysAgo(9), 'https://shop.example/hooks', 'Orders');
    await data.attempt(endpoint, daysAgo(1), 1, 200);
    await data.attempt(endpoint, daysAgo(1), 1, 503);
    await data.attempt(endpoint, daysAgo(0), 2, 200);
    await data.attempt(endpoint, daysAgo(0, '11:59'), 1, null);
    const { webhooks } = await charts('?range=7', 'owner');
    expect(webhooks?.endpoints).toMatchObject([
      {
        id: endpoint,
        name: 'Orders',
        first_attempts: [0, 0, 0, 0, 0, 2, 1],
        first_succeeded: [0, 0, 0, 0, 0, 1, 0],
        retries: 1,
        retries_succeeded: 1,
        pending: 0,
        oldest_pending_at: null,
      },
    ]);
    expect((await charts('?range=7')).webhooks).toBeNull();
  });

  it('of another account are not shown', async () => {
    await data.pay({ at: daysAgo(0), status: 'succeeded' });
    const { call } = await kit.signIn(await kit.openAccount(), 'owner');
    expect((await call('GET', `/accounts/${account}/charts`)).status).toBe(404);
  });
});

describe('a percentile', () => {
  it('is the step that reaches the share', () => {
    const steps = [
      { step: 0, requests: 1 },
      { step: 10, requests: 8 },
      { step: 50, requests: 1 },
    ];
    expect([0.1, 0.5, 0.9, 0.91, 1].map((share) => percentile(steps, share))).toEqual([1, 2, 2, 112, 112]);
    expect(percentile([], 0.5)).toBeNull();
    expect(percentile([{ step: 3, requests: 0 }], 0.5)).toBeNull();
  });
});
