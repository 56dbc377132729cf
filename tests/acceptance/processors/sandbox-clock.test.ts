import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { queryDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant, till, tillRaw } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const year = 365.25 * 24 * 3600;
const tenYears = 315_360_000;
const left = 20 * year - 2 * tenYears;

const advance = (shop: Merchant, seconds: number) =>
  shop.post('/api/v1/test_helpers/clock/advance', { seconds });
/** A card that has not expired by then. */
const late = { card: { exp_year: 2099 } };
const millisecondsOf = (id: string) => Number.parseInt(id.split('_')[1]?.slice(0, 8) ?? '', 36);

describe('the end of a sandbox clock', () => {
  it('is 20 years ahead: further is 422 on seconds', async () => {
    const shop = await Merchant.open();
    expect((await advance(shop, tenYears)).status).toBe(200);
    expect((await advance(shop, tenYears)).status).toBe(200);
    expect((await advance(shop, left)).status).toBe(200);
    expectError(await advance(shop, 1), 'invalid_params', 'seconds');
    const command = await tillRaw('clock', 'advance', '--account', shop.id, '--seconds', '1', '--json');
    expect(command.exitCode).toBe(1);
    expect(JSON.parse(command.out).error).toEqual({
      code: 'invalid_params',
      message: expect.stringContaining('20 years'),
    });
    const developer = await Browser.of(shop, 'developer');
    const tool = await developer.post(`/accounts/${shop.id}/sandbox/clock`, { seconds: 1 });
    expectError(tool, 'invalid_params', 'seconds');
    expect((await shop.pay(late)).body.status).toBe('succeeded');
  });

  it('does not break an account that was moved beyond it before', async () => {
    const shop = await Merchant.open();
    const { url } = await till<{ url: string }>('db', 'url');
    const sql = 'update accounts set clock_offset_ms = $2 where account_id = $1';
    await queryDatabase(url, sql, [shop.id, 40 * year * 1000]);
    const customer = await shop.post('/api/v1/customers', { email: freshEmail() });
    expect(customer.status).toBe(201);
    const payment = await shop.pay({ ...late, customer: customer.body.id });
    expect([payment.status, payment.body.status]).toEqual([201, 'succeeded']);
    const refund = await shop.post(`/api/v1/payments/${payment.body.id}/refunds`, { amount: 100 });
    expect(refund.status).toBe(201);
    expect((await shop.post(`/api/v1/test_helpers/payments/${payment.body.id}/dispute`, {})).status).toBe(
      201,
    );
    expect((await shop.get('/api/v1/events')).body.total_count).toBeGreaterThan(1);
    expectError(await advance(shop, 1), 'invalid_params', 'seconds');
  });
});

describe('ids', () => {
  it('carry real time, whatever the account’s clock says', async () => {
    const shop = await Merchant.open();
    await advance(shop, 100 * 24 * 3600);
    const before = Date.now();
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body;
    const payment = (await shop.pay({ customer: customer.id })).body;
    const refund = (await shop.post(`/api/v1/payments/${payment.id}/refunds`, { amount: 100 })).body;
    const [event] = (await shop.get('/api/v1/events')).body.data;
    const after = Date.now();
    for (const id of [customer.id, payment.id, payment.payment_method_id, refund.id, event.id]) {
      expect(millisecondsOf(id)).toBeGreaterThanOrEqual(before - 1000);
      expect(millisecondsOf(id)).toBeLessThanOrEqual(after + 1000);
    }
    expect(payment.created).toBeGreaterThan(before / 1000 + 99 * 24 * 3600);
  });

  it('do not bring lists out of order: times of the dashboard are account time', async () => {
    const shop = await Merchant.open();
    const day = 24 * 3600;
    const { id: endpoint } = await till<{ id: string }>(
      'webhooks',
      'create',
      '--account',
      shop.id,
      '--url',
      `http://127.0.0.1:1/${randomUUID()}`,
    );
    const first = (await shop.pay()).body;
    await advance(shop, 40 * day);
    const second = (await shop.pay()).body;
    const boundary = `${new Date((second.created - 20 * day) * 1000).toISOString().slice(0, 19)}Z`;
    const viewer = await Browser.of(shop, 'developer');
    const listed = async (path: string) =>
      (await viewer.get(`/accounts/${shop.id}${path}`)).body.data as {
        readonly id: string;
        readonly object_id: string;
        readonly payment: { readonly id: string };
      }[];
    const idsOf = async (path: string) => (await listed(path)).map(({ id }) => id);
    const payments = async (query: string) =>
      (await listed(`/payments?${query}`)).map(({ payment }) => payment.id);
    expect(await payments(`created_gte=${boundary}`)).toEqual([second.id]);
    expect(await payments(`created_lt=${boundary}`)).toEqual([first.id]);
    const events = async (query: string) =>
      (await listed(`/events?${query}`)).map(({ object_id: object }) => object);
    expect(await events(`from=${boundary}`)).toEqual([second.id]);
    expect(await events(`to=${boundary}`)).toEqual([first.id]);
    const deliveries = `/webhook_endpoints/${endpoint}/deliveries`;
    const all = await until('two deliveries', async () => {
      const found = await idsOf(deliveries);
      return found.length === 2 && found;
    });
    expect(await idsOf(`${deliveries}?from=${boundary}`)).toEqual(all.slice(0, 1));
    expect(await idsOf(`${deliveries}?to=${boundary}`)).toEqual(all.slice(1));
  });
});
