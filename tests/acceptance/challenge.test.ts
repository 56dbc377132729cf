import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, till } from '../support/merchant.ts';
import { until } from '../support/until.ts';

const challengeCard = { card: { number: '4212345678910006' } };
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const approve = (merchant: Merchant, id: string, outcome: string) =>
  merchant.post(`/api/v1/test_helpers/payments/${id}/approve`, { outcome });
const confirm = (merchant: Merchant, id: string) => merchant.post(`/api/v1/payments/${id}/confirm`);
const read = async (merchant: Merchant, id: string) => (await merchant.get(`/api/v1/payments/${id}`)).body;

describe('a challenge on processor_a', () => {
  it('answers 201 with where the buyer goes; nothing is charged', async () => {
    const { status, body } = await shop.pay(challengeCard);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'requires_action',
      next_action: {
        type: 'processor_a_redirect',
        redirect_url: expect.any(String),
        checkout_url: expect.any(String),
      },
    });
    expect(body).not.toHaveProperty('three_d_secure');
    expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toEqual([]);
    expect((await confirm(shop, body.id)).status).toBe(422);
  });

  it('passed: succeeds, with the strings as reported; confirm then charges nothing more', async () => {
    const { body } = await shop.pay(challengeCard);
    await approve(shop, body.id, 'approved');
    const confirmed = await confirm(shop, body.id);
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toMatchObject({
      status: 'succeeded',
      three_d_secure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
    });
    expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toHaveLength(1);
    const events = await shop.get('/api/v1/events?type=payment.succeeded');
    const ids = events.body.data.map((event: { data: { object: { id: string } } }) => event.data.object.id);
    expect(ids.filter((id: string) => id === body.id)).toHaveLength(1);
  });

  it.each([
    ['failed', '3ds_failed'],
    ['declined', '3ds_failed'],
    ['abandoned', '3ds_abandoned'],
  ])('%s: failed with %s', async (outcome, code) => {
    const { body } = await shop.pay(challengeCard);
    await approve(shop, body.id, outcome);
    const settled = await read(shop, body.id);
    expect(settled).toMatchObject({ status: 'failed', failure: { code } });
    expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toEqual([]);
  });

  it('never answered: 3ds_abandoned at the end of the window, and nothing can be charged upstream after', async () => {
    const merchant = await Merchant.open();
    const { body } = await merchant.pay(challengeCard);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '901');
    expect(await read(merchant, body.id)).toMatchObject({
      status: 'failed',
      failure: { code: '3ds_abandoned' },
    });
    const late = await fetch(body.next_action.redirect_url, { redirect: 'manual' });
    expect(late.status).toBeLessThan(500);
    expect((await merchant.ledger()).charges).toEqual([]);
  });

  it('is resolved by a virtual buyer where the directive says so', async () => {
    const { body } = await shop.pay({ card: { number: '4212345678910006', holder_name: 'SIM-3DS-PASS' } });
    expect(body.status).toBe('requires_action');
    await until('the virtual buyer passed', async () => (await read(shop, body.id)).status === 'succeeded');
    expect((await confirm(shop, body.id)).body.status).toBe('succeeded');
  });

  it('is skipped where the request says never', async () => {
    const { body } = await shop.pay({ ...challengeCard, authentication: 'never' });
    expect(body.status).toBe('succeeded');
    expect(body).not.toHaveProperty('three_d_secure');
  });
});

describe('a challenge on processor_b', () => {
  it('goes over processor_b_payer_action where the connection says always', async () => {
    const merchant = await Merchant.open('processor_b', '--three-d-secure', 'always');
    const { status, body } = await merchant.pay();
    expect(status).toBe(201);
    expect(body.next_action).toEqual({ type: 'processor_b_payer_action', redirect_url: expect.any(String) });
    await approve(merchant, body.id, 'approved');
    expect((await confirm(merchant, body.id)).body.status).toBe('succeeded');
    expect((await merchant.ledger()).charges).toHaveLength(1);
  });

  it('failed at the bank: confirm answers failed with 3ds_failed', async () => {
    const merchant = await Merchant.open('processor_b', '--three-d-secure', 'always');
    const { body } = await merchant.pay();
    await approve(merchant, body.id, 'failed');
    const settled = await confirm(merchant, body.id);
    expect(settled.body).toMatchObject({ status: 'failed', failure: { code: '3ds_failed' } });
    expect((await merchant.ledger()).charges).toEqual([]);
  });
});

describe('test helpers', () => {
  it('do not exist for live keys', async () => {
    const live = await Merchant.open('processor_b', '--environment', 'live');
    await till('accounts', 'update', live.id, '--activation', 'active');
    expect((await live.post('/api/v1/test_helpers/clock/advance', { seconds: 1 })).status).toBe(404);
    const { body } = await live.pay({ payment_method: { type: 'processor_b' } });
    expect(body.status).toBe('requires_action');
    expect((await approve(live, body.id, 'approved')).status).toBe(404);
  });
});
