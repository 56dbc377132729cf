import { expect, it } from 'vitest';
import { Merchant } from '../../support/merchant.ts';
import { follow, submit, visit } from './browser.ts';

/** A payment of processor_a whose bank asks the buyer. */
async function challenged(shop: Merchant) {
  const { body } = await shop.pay({ card: { number: '4212345678910006' } });
  expect(body.status).toBe('requires_action');
  const { redirect_url: bank, checkout_url: checkout } = body.next_action;
  return { id: body.id as string, bank, returnUrl: checkout.replace('/checkout/pay/', '/checkout/return/') };
}

/** The buyer passes the challenge and comes back. */
const pass = async (bank: string) =>
  follow(await submit(await visit(bank), { action: 'password', password: 'password' }));
const confirm = (shop: Merchant, id: string) => shop.post(`/api/v1/payments/${id}/confirm`);

it.each(['?error=access_denied', '?redirectResult=', '?redirectResult=forged'])(
  'a challenge that was passed stays passed when the return address is called again with %j',
  async (query) => {
    const shop = await Merchant.open();
    const { id, bank, returnUrl } = await challenged(shop);
    await pass(bank);
    await visit(`${returnUrl}${query}`);
    expect((await confirm(shop, id)).body).toMatchObject({ id, status: 'succeeded' });
    expect((await shop.ledger()).charges).toHaveLength(1);
  },
);
