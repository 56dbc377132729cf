import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';

const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];

let shop: Merchant;
let owner: Browser;
let support: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
  support = await Browser.of(shop, 'support');
});

const at = (rest: string) => `/accounts/${shop.id}${rest}`;
type Limit = { readonly currency: string; readonly amount: number };
const change = (body: object) => owner.call('PATCH', at('/settings/refund_limits'), { body });
/** Sets these limits and removes all others. */
async function limit(limits: Limit[], others = 'unlimited', role = 'support'): Promise<Reply> {
  const { data } = (await owner.get(at('/settings/refund_limits'))).body;
  const before: Limit[] = data.find((one: { role: string }) => one.role === role).limits;
  const named = limits.map(({ currency }) => currency);
  const removed = before.flatMap(({ currency }) =>
    named.includes(currency) ? [] : { currency, amount: null },
  );
  return change({ role, limits: [...limits, ...removed], other_currencies: others });
}
const refund = (browser: Browser, payment: string, body: object, key: string = randomUUID()) =>
  browser.post(at(`/payments/${payment}/refunds`), body, { idempotencyKey: key });
const pay = async (currency = 'EUR'): Promise<string> => (await shop.pay({ currency })).body.id;
const refundedOf = async (payment: string): Promise<number> =>
  (await owner.get(at(`/payments/${payment}`))).body.money.remaining;

describe('a refund limit', () => {
  it('stops one refund above it, whatever its role sends, and no refund within it', async () => {
    expect((await limit([{ currency: 'EUR', amount: 2000 }])).status).toBe(200);
    const payment = await pay();
    for (const amount of [2001, 4990]) {
      const reply = await refund(support, payment, { amount });
      expect(codeOf(reply)).toEqual([422, 'amount_invalid']);
      expect(reply.body.error).toMatchObject({
        param: 'amount',
        message: expect.stringContaining('at most 20.00 EUR'),
      });
    }
    expect(await refundedOf(payment)).toBe(4990);
    expect((await shop.get(`/api/v1/payments/${payment}/refunds`)).body.total_count).toBe(0);
    expect((await refund(support, payment, { amount: 2000 })).status).toBe(201);
    expect((await refund(support, payment, { amount: 2000 })).status).toBe(201);
    expect((await refund(owner, payment, { amount: 990 })).status).toBe(201);
    expect(await refundedOf(payment)).toBe(0);
  });

  it('is shown with the payment to the roles that it applies to', async () => {
    await limit([{ currency: 'EUR', amount: 2000 }]);
    const payment = await pay();
    const shown = async (browser: Browser) => (await browser.get(at(`/payments/${payment}`))).body.money;
    expect(await shown(support)).toMatchObject({ remaining: 4990, refund_limit: 2000 });
    expect(await shown(owner)).toMatchObject({ remaining: 4990, refund_limit: null });
  });

  it('stays where a change does not name it, and goes by null', async () => {
    await limit([{ currency: 'EUR', amount: 2000 }], 'refused');
    const added = await change({ role: 'support', limits: [{ currency: 'JPY', amount: 100 }] });
    expect(added.body).toEqual({
      role: 'support',
      limits: [
        { currency: 'EUR', amount: 2000 },
        { currency: 'JPY', amount: 100 },
      ],
      other_currencies: 'refused',
    });
    const removed = await change({ role: 'support', limits: [{ currency: 'EUR', amount: null }] });
    expect(removed.body.limits).toEqual([{ currency: 'JPY', amount: 100 }]);
  });

  it('counts in the units of each currency, and can refuse all others', async () => {
    await limit([{ currency: 'JPY', amount: 100 }], 'refused');
    const [yen, euro] = [await pay('JPY'), await pay()];
    expect((await refund(support, yen, { amount: 101 })).body.error.message).toContain('at most 100 JPY');
    expect((await refund(support, yen, { amount: 100 })).status).toBe(201);
    expect(codeOf(await refund(support, euro, { amount: 1 }))).toEqual([422, 'amount_invalid']);
    const { actions } = (await support.get(at(`/payments/${euro}`))).body;
    expect(actions.refund).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('may not refund in EUR'),
    });
    await limit([]);
    expect((await refund(support, euro, { amount: 4990 })).status).toBe(201);
  });

  it('applies neither to another role nor to API keys', async () => {
    await limit([{ currency: 'EUR', amount: 1 }], 'refused', 'developer');
    const payment = await pay();
    const developer = await Browser.of(shop, 'developer');
    expect(codeOf(await refund(developer, payment, { amount: 2 }))).toEqual([422, 'amount_invalid']);
    expect((await refund(support, payment, { amount: 100 })).status).toBe(201);
    const byKey = await shop.post(`/api/v1/payments/${payment}/refunds`, { amount: 4890 });
    expect([byKey.status, byKey.body.amount]).toEqual([201, 4890]);
  });

  it('does not stop a refund that was begun before', async () => {
    await limit([]);
    const payment = await pay();
    const key = randomUUID();
    const body = { amount: 3000, note: 'SIM-REFUND-502' };
    expect(codeOf(await refund(support, payment, body, key))).toEqual([502, 'provider_error']);
    await limit([{ currency: 'EUR', amount: 100 }]);
    const again = await refund(support, payment, body, key);
    expect([again.status, again.body.amount]).toEqual([201, 3000]);
    expect((await refund(support, payment, body, key)).text).toBe(again.text);
    expect(codeOf(await refund(support, payment, { amount: 101 }))).toEqual([422, 'amount_invalid']);
  });
});

it('is set by owners and admins, read by every role, and 404 for another account', async () => {
  const path = at('/settings/refund_limits');
  const body = { role: 'support', limits: [], other_currencies: 'unlimited' };
  const stranger = await Browser.of(await Merchant.open(), 'owner');
  for (const role of ['admin', 'developer', 'support', 'viewer']) {
    const browser = await Browser.of(shop, role);
    expect((await browser.get(path)).body.data, role).toHaveLength(2);
    const reply = await browser.call('PATCH', path, { body });
    expect(reply.status, role).toBe(role === 'admin' ? 200 : 403);
  }
  expect(codeOf(await stranger.get(path))).toEqual([404, 'not_found']);
  expect(codeOf(await stranger.call('PATCH', path, { body }))).toEqual([404, 'not_found']);
  for (const [options, param] of [
    [{ ...body, role: 'owner' }, 'role'],
    [{ ...body, other_currencies: 'some' }, 'other_currencies'],
    [{ ...body, limits: [{ currency: 'XXX', amount: 1 }] }, 'limits[0].currency'],
    [{ ...body, limits: [{ currency: 'EUR', amount: 0 }] }, 'limits[0].amount'],
    [{ ...body, limits: [{ currency: 'EUR', amount: '1' }] }, 'limits[0].amount'],
  ] as const) {
    const reply = await owner.call('PATCH', path, { body: options });
    expect([reply.status, reply.body.error.param], JSON.stringify(options)).toEqual([422, param]);
  }
  const log = await owner.get(at('/audit_log?action=refund_limits.changed'));
  expect(log.body.data[0]).toMatchObject({
    object_id: shop.id,
    after: { role: 'support', limits: {}, other_currencies: 'unlimited' },
  });
});
