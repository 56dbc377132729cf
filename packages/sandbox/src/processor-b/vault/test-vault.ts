import { resolveOrder } from '../orders/approval.ts';
import { type Answer, cardSource, order, type shopOf, type TestClient, urls } from '../test-client.ts';

/** Requests that save payment sources and charge them again. */

type Fields = Readonly<Record<string, unknown>>;
type Json = Answer['json'];

/** The vault part of an order's response, or undefined if there is none. */
export function vaulted(answer: Answer): Json {
  const { card, paypal } = answer.json.payment_source;
  return (card ?? paypal).attributes?.vault;
}

/** A payment source that is to be saved for a customer. */
export function saving(customer: string, source: Fields = {}, vault: Fields = {}): Fields {
  return {
    ...source,
    attributes: {
      vault: { store_in_vault: 'ON_SUCCESS', ...vault },
      customer: { merchant_customer_id: customer },
    },
  };
}

export function savingCard(change: Fields = {}, customer = 'cus_1'): Fields {
  return cardSource(saving(customer, change));
}

export function savingWallet(customer: string, perCustomer: boolean): Fields {
  const vault = { usage_type: 'MERCHANT', permit_multiple_payment_tokens: perCustomer };
  return { paypal: saving(customer, { experience_context: urls }, vault) };
}

export const byMerchant = {
  payment_initiator: 'MERCHANT',
  payment_type: 'UNSCHEDULED',
  usage: 'SUBSEQUENT',
};
export const byCustomer = { payment_initiator: 'CUSTOMER', payment_type: 'ONE_TIME', usage: 'SUBSEQUENT' };

export function storedCard(vault_id: string, stored_credential: Fields = byMerchant, change: Fields = {}) {
  return { card: { vault_id, stored_credential, ...change } };
}

export function storedWallet(vault_id: string, payment_initiator = 'MERCHANT') {
  const stored_credential = { payment_initiator, usage: 'SUBSEQUENT', usage_pattern: 'UNSCHEDULED_PREPAID' };
  return { paypal: { vault_id, stored_credential } };
}

/** Payments of a customer that save their payment source. */
export function vaultOf(client: TestClient, shop: ReturnType<typeof shopOf>) {
  const payWallet = async (account: string, source: Fields, change: Fields = {}): Promise<Answer> => {
    const { json } = await shop.create(account, order(source, change));
    await resolveOrder(client.deps, json.id, 'approved');
    return shop.capture(account, json.id);
  };
  return {
    payWallet,
    async savedCard(account: string, change: Fields = {}): Promise<string> {
      return vaulted(await shop.create(account, order(savingCard(change)))).id;
    },
    async savedWallet(account: string, change: Fields = {}): Promise<string> {
      return vaulted(await payWallet(account, savingWallet('cus_1', true), change)).id;
    },
  };
}
