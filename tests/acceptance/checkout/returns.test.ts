import { describe, expect, it } from 'vitest';
import { Merchant, till } from '../../support/merchant.ts';
import { follow, submit, visit } from './browser.ts';

/** Creates a payment of processor_a with a 3-D Secure challenge. */
async function challenged(shop: Merchant) {
  const { body } = await shop.pay({ card: { number: '4212345678910006' } });
  expect(body.status).toBe('requires_action');
  const { redirect_url: bank, checkout_url: checkout } = body.next_action;
  return { id: body.id as string, bank, returnUrl: checkout.replace('/checkout/pay/', '/checkout/return/') };
}

/** The buyer passes the challenge and returns. */
const pass = async (bank: string) =>
  follow(await submit(await visit(bank), { action: 'password', password: 'password' }));
const failureOf = async (shop: Merchant, id: string) =>
  (await shop.get(`/api/v1/payments/${id}`)).body.failure?.code;
const confirm = (shop: Merchant, id: string) => shop.post(`/api/v1/payments/${id}/confirm`);

it.each(['?error=access_denied', '?redirectResult=', '?redirectResult=forged', '?redirectResult=%00'])(
  'a challenge that was passed stays passed when the return address is called again with %j',
  async (query) => {
    const shop = await Merchant.open();
    const { id, bank, returnUrl } = await challenged(shop);
    await pass(bank);
    expect((await visit(`${returnUrl}${query}`)).status).toBeLessThan(500);
    expect((await confirm(shop, id)).body).toMatchObject({ id, status: 'succeeded' });
    expect((await shop.ledger()).charges).toHaveLength(1);
  },
);

describe('a buyer who comes back without anything', () => {
  it('in time leaves the payment as it is, and may still pass the challenge', async () => {
    const shop = await Merchant.open();
    const { id, bank, returnUrl } = await challenged(shop);
    await visit(returnUrl);
    expect((await confirm(shop, id)).status).toBe(422);
    await pass(bank);
    expect((await confirm(shop, id)).body.status).toBe('succeeded');
  });

  it('in time, and never again, has abandoned the challenge', async () => {
    const shop = await Merchant.open();
    const { id, returnUrl } = await challenged(shop);
    await visit(returnUrl);
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
    expect(await failureOf(shop, id)).toBe('3ds_abandoned');
  });

  it.each([
    ['after the payment has failed', true],
    ['before it was found to be over', false],
  ])('after the window, %s, makes it 3ds_token_expired, without another event', async (_when, isFailed) => {
    const shop = await Merchant.open();
    const { id, returnUrl } = await challenged(shop);
    if (isFailed) await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
    else await till('clock', 'advance', '--account', shop.id, '--seconds', '901');
    if (isFailed) expect(await failureOf(shop, id)).toBe('3ds_abandoned');
    const page = await visit(returnUrl);
    expect(page.text).toContain('This payment link has expired. No money has been taken.');
    expect(await failureOf(shop, id)).toBe('3ds_token_expired');
    const { data } = (await shop.get('/api/v1/events')).body;
    expect(data.map(({ type }: { type: string }) => type)).toEqual([
      'payment.failed',
      'payment.requires_action',
    ]);
  });

  it('after a payment that ended otherwise changes nothing', async () => {
    const shop = await Merchant.open();
    const { id, bank, returnUrl } = await challenged(shop);
    await pass(bank);
    await confirm(shop, id);
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 901 });
    expect((await visit(returnUrl)).text).toContain('Your payment is complete');
    expect((await shop.get(`/api/v1/payments/${id}`)).body.status).toBe('succeeded');
  });
});
