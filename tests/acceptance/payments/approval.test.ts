import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, till } from '../../support/merchant.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

const wallet = { payment_method: { type: 'processor_b' } };
const fields = { payment_method: { type: 'card_fields' } };

const approve = (merchant: Merchant, id: string, outcome?: string) =>
  merchant.post(`/api/v1/test_helpers/payments/${id}/approve`, outcome === undefined ? {} : { outcome });
const confirm = (merchant: Merchant, id: string) => merchant.post(`/api/v1/payments/${id}/confirm`);

describe('a wallet payment', () => {
  it('starts with 201 requires_action and two addresses; nothing is charged', async () => {
    const { status, body } = await shop.pay(wallet);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'requires_action',
      payment_method: { type: 'processor_b', brand: null, last4: null },
      payment_method_id: null,
      next_action: {
        type: 'processor_b_wallet',
        redirect_url: expect.any(String),
        checkout_url: expect.stringContaining('/checkout/pay/'),
      },
    });
    expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toEqual([]);
  });

  it('refuses confirm before approval and stays as it is; a later approval completes it', async () => {
    const { body } = await shop.pay(wallet);
    const early = await confirm(shop, body.id);
    expect(early.status).toBe(422);
    expect(early.body.error).toMatchObject({ type: 'validation_error', code: 'invalid_params' });
    expect(early.body.error.message).toContain('the buyer has not approved this order yet');
    expect((await shop.get(`/api/v1/payments/${body.id}`)).body.status).toBe('requires_action');
    await approve(shop, body.id);
    const settled = await confirm(shop, body.id);
    expect(settled.status).toBe(200);
    expect(settled.body.status).toBe('succeeded');
    expect(settled.body).not.toHaveProperty('next_action');
  });

  it('answers a second confirm with the settled payment and charges nothing', async () => {
    const { body } = await shop.pay(wallet);
    await approve(shop, body.id);
    const first = await confirm(shop, body.id);
    const second = await confirm(shop, body.id);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toHaveLength(1);
  });

  it('charges once when confirmed twice at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { body } = await shop.pay(wallet);
      await approve(shop, body.id);
      const replies = await Promise.all([
        confirm(shop, body.id),
        confirm(shop, body.id),
        confirm(shop, body.id),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect((await shop.ledger()).charges.filter(({ reference }) => reference === body.id)).toHaveLength(1);
    }
  });

  it('fails where the wallet declines at confirm', async () => {
    const { body } = await shop.pay({ ...wallet, description: 'SIM-WALLET-DECLINED' });
    await approve(shop, body.id);
    const settled = await confirm(shop, body.id);
    expect(settled.status).toBe(200);
    expect(settled.body).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
  });

  it('answers 502 missing_approval_url, replays it under the same key, and charged nothing', async () => {
    const request = { ...wallet, description: 'SIM-WALLET-NO-APPROVAL-URL' };
    const reply = await shop.pay(request, { idempotencyKey: 'no-link' });
    expect(reply.status).toBe(502);
    expect(reply.body.error).toMatchObject({ type: 'provider_error', code: 'missing_approval_url' });
    const again = await shop.pay(request, { idempotencyKey: 'no-link' });
    expect(again.text).toBe(reply.text);
  });

  it('holds where manual capture was asked for', async () => {
    const { body } = await shop.pay({ ...wallet, capture_method: 'manual' });
    await approve(shop, body.id);
    const held = await confirm(shop, body.id);
    expect(held.body.status).toBe('authorized');
    expect((await shop.post(`/api/v1/payments/${body.id}/capture`)).body.status).toBe('succeeded');
  });
});

describe('card fields', () => {
  it('offers the hosted page and no other address, and needs no URLs without 3-D Secure', async () => {
    const { status, body } = await shop.pay({ ...fields, success_url: null, failure_url: null });
    expect(status).toBe(201);
    expect(body.payment_method).toEqual({ type: 'card_fields', brand: null, last4: null });
    expect(body.next_action).toEqual({ type: 'processor_b_card_fields', checkout_url: expect.any(String) });
  });

  it('shows the card after confirm and keeps the type', async () => {
    const { body } = await shop.pay({ ...fields, description: 'SIM-CARDFIELDS-APPROVE' });
    const settled = await confirm(shop, body.id);
    expect(settled.body).toMatchObject({
      status: 'succeeded',
      payment_method: { type: 'card_fields', brand: 'visa', last4: '1111' },
    });
  });
});

describe('a payment that waits for no buyer', () => {
  it('cannot be confirmed', async () => {
    const { body } = await shop.pay();
    expect((await confirm(shop, body.id)).status).toBe(422);
    expect((await confirm(shop, 'pay_doesnotexist')).status).toBe(404);
  });
});

describe('the 15 minutes', () => {
  it.each([
    ['wallet', wallet, 'confirmation_expired'],
    ['card fields', fields, 'confirmation_expired'],
  ])('%s: requires_action one second before the end, failed at it', async (_name, method, code) => {
    const merchant = await Merchant.open('processor_b');
    const { body } = await merchant.pay(method);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(15 * 60 - 30));
    const waiting = await merchant.get(`/api/v1/payments/${body.id}`);
    expect(waiting.body).toMatchObject({ status: 'requires_action', next_action: expect.any(Object) });
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '31');
    const late = await confirm(merchant, body.id);
    expect(late.status).toBe(200);
    expect(late.body).toMatchObject({ status: 'failed', failure: { code } });
    expect(late.body).not.toHaveProperty('next_action');
    const events = await merchant.get('/api/v1/events?type=payment.failed');
    expect(events.body.total_count).toBe(1);
  });

  it('an approval that is confirmed too late fails as 3ds_token_expired and charges nothing', async () => {
    const merchant = await Merchant.open('processor_b');
    const { body } = await merchant.pay(wallet);
    await approve(merchant, body.id);
    const moved = await merchant.post('/api/v1/test_helpers/clock/advance', { seconds: 15 * 60 + 1 });
    expect(moved.body).toEqual({ object: 'test_clock', now: expect.stringMatching(/Z$/) });
    const late = await confirm(merchant, body.id);
    expect(late.body).toMatchObject({ status: 'failed', failure: { code: '3ds_token_expired' } });
    expect((await merchant.ledger()).charges).toEqual([]);
  });
});
