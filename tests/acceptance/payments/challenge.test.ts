import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Merchant, type Reply, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';
import { onwards, submit, visit } from '../checkout/browser.ts';

const challengeCard = { card: { number: '4212345678910006' } };
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const approve = (merchant: Merchant, id: string, outcome: string) =>
  merchant.post(`/api/v1/test_helpers/payments/${id}/approve`, { outcome });
const confirm = (merchant: Merchant, id: string) => merchant.post(`/api/v1/payments/${id}/confirm`);
const read = async (merchant: Merchant, id: string) => (await merchant.get(`/api/v1/payments/${id}`)).body;
const chargesOf = async (merchant: Merchant, id: string) =>
  (await merchant.ledger()).charges.filter(({ reference }) => reference === id);

/** The types of a payment's events, newest first. */
async function eventsOf(merchant: Merchant, id: string): Promise<string[]> {
  const { data } = (await merchant.get('/api/v1/events?per_page=100')).body;
  return data
    .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
    .map(({ type }: { type: string }) => type);
}

/** Completes the bank's page as a browser does. @returns the URL to which the browser is sent */
async function returnOf(redirectUrl: string, password = 'password'): Promise<string> {
  const answered = await submit(await visit(redirectUrl), { action: 'password', password });
  return onwards(await visit(onwards(answered) ?? '')) ?? '';
}

describe('a challenge on processor_a', () => {
  it('answers 201 with the buyer’s address; nothing is charged', async () => {
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

  it('closed by the processor: fails within seconds, and nobody can pass it', async () => {
    const card = { ...challengeCard.card, holder_name: 'SIM-OFFER-CLOSED' };
    const { body } = await shop.pay({ card });
    expect((await visit(body.next_action.redirect_url)).text).not.toContain('password');
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 2 });
    await until('it failed', async () => (await read(shop, body.id)).status === 'failed');
    const failed = { status: 'failed', failure: { code: '3ds_abandoned' } };
    expect(await confirm(shop, body.id)).toMatchObject({ status: 200, body: failed });
    expect(await eventsOf(shop, body.id)).toEqual(['payment.failed', 'payment.requires_action']);
    expect(await chargesOf(shop, body.id)).toEqual([]);
  });

  it('passed: waits for confirm, which alone charges it, with the strings as reported', async () => {
    const { body } = await shop.pay(challengeCard);
    const approved = await approve(shop, body.id, 'approved');
    expect([approved.status, approved.text]).toEqual([200, JSON.stringify(body)]);
    expect(await read(shop, body.id)).toEqual(body);
    expect(await chargesOf(shop, body.id)).toEqual([]);
    const confirmed = await confirm(shop, body.id);
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toMatchObject({
      status: 'succeeded',
      three_d_secure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
    });
    expect((await confirm(shop, body.id)).text).toBe(confirmed.text);
    expect(await chargesOf(shop, body.id)).toHaveLength(1);
    expect(await eventsOf(shop, body.id)).toEqual(['payment.succeeded', 'payment.requires_action']);
  });

  it('passed: concurrent confirms and a returning buyer charge once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await shop.pay(challengeCard);
      const returning = await returnOf(body.next_action.redirect_url);
      const [, ...replies] = await Promise.all([
        visit(returning),
        confirm(shop, body.id),
        confirm(shop, body.id),
      ]);
      // A confirm before the buyer has returned is refused, and does not block a later confirm.
      for (const { status } of replies) expect([200, 422]).toContain(status);
      expect((await confirm(shop, body.id)).body.status).toBe('succeeded');
      expect(await chargesOf(shop, body.id)).toHaveLength(1);
      expect(await eventsOf(shop, body.id)).toEqual(['payment.succeeded', 'payment.requires_action']);
    }
  });

  it('passed and never confirmed: 3ds_token_expired at the end of the window, and nothing is charged', async () => {
    const merchant = await Merchant.open();
    const { body } = await merchant.pay(challengeCard);
    await approve(merchant, body.id, 'approved');
    await merchant.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
    const late = await confirm(merchant, body.id);
    expect(late.body).toMatchObject({ status: 'failed', failure: { code: '3ds_token_expired' } });
    expect(await eventsOf(merchant, body.id)).toEqual(['payment.failed', 'payment.requires_action']);
    expect((await merchant.ledger()).charges).toEqual([]);
  });

  it.each([
    ['failed', '3ds_failed'],
    ['declined', '3ds_failed'],
    ['abandoned', '3ds_abandoned'],
  ])('%s: failed with %s', async (outcome, code) => {
    const { body } = await shop.pay(challengeCard);
    expect((await approve(shop, body.id, outcome)).body.status).toBe('requires_action');
    const settled = await confirm(shop, body.id);
    expect(settled.status).toBe(200);
    expect(settled.body).toMatchObject({ status: 'failed', failure: { code } });
    expect(await chargesOf(shop, body.id)).toEqual([]);
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
    await until('the virtual buyer passed', async () => (await confirm(shop, body.id)).status === 200);
    expect((await read(shop, body.id)).status).toBe('succeeded');
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

describe.each(['processor_a', 'processor_b'] as const)('a buyer who comes back late to %s', (processor) => {
  let merchant: Merchant;
  let payment: Reply['body'];
  beforeEach(async () => {
    merchant = await Merchant.open(processor, '--three-d-secure', 'enabled');
    payment = (await merchant.pay({ card: { number: '4868719166101368' } })).body;
    expect(payment.status).toBe('requires_action');
  });
  const expire = () => merchant.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
  const failedWith = (code: string) => ({ status: 'failed', failure: { code } });

  it('after the challenge was completed in time: 3ds_token_expired, without a second event or a charge', async () => {
    const returning = await returnOf(payment.next_action.redirect_url);
    await expire();
    expect(await read(merchant, payment.id)).toMatchObject(failedWith('3ds_abandoned'));
    const page = await visit(returning);
    expect(page.text).toContain('This payment link has expired. No money has been taken.');
    expect(await read(merchant, payment.id)).toMatchObject(failedWith('3ds_token_expired'));
    expect((await confirm(merchant, payment.id)).body).toMatchObject(failedWith('3ds_token_expired'));
    expect(await eventsOf(merchant, payment.id)).toEqual(['payment.failed', 'payment.requires_action']);
    expect((await merchant.ledger()).charges).toEqual([]);
  });

  it('before the window was found to be over: 3ds_token_expired as well', async () => {
    const returning = await returnOf(payment.next_action.redirect_url);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '901');
    await visit(returning);
    expect(await read(merchant, payment.id)).toMatchObject(failedWith('3ds_token_expired'));
    expect(await eventsOf(merchant, payment.id)).toEqual(['payment.failed', 'payment.requires_action']);
  });

  it('to the bank alone, without having completed anything: 3ds_abandoned', async () => {
    await expire();
    await visit(payment.next_action.redirect_url);
    expect(await read(merchant, payment.id)).toMatchObject(failedWith('3ds_abandoned'));
  });

  it('after a decline that ended the payment in time: the decline stays', async () => {
    const returning = await returnOf(payment.next_action.redirect_url, 'wrong');
    await visit(returning);
    expect((await confirm(merchant, payment.id)).body).toMatchObject(failedWith('3ds_failed'));
    await expire();
    await visit(returning);
    expect(await read(merchant, payment.id)).toMatchObject(failedWith('3ds_failed'));
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
