import type { JsonObject } from '../../lib/json.ts';
import { sandboxBuyer } from '../model/identities.ts';
import type { InstrumentFacts, NewInstrument } from '../model/instruments.ts';
import { showCard, type View } from './present.ts';

/** The payment source of a saved card or wallet (PayPal Vault v3, payment_source of a token). */
export function sourceOf(facts: InstrumentFacts): JsonObject {
  if ('wallet' in facts) {
    const { account_id, email_address, name } = sandboxBuyer;
    return {
      paypal: {
        usage_type: 'MERCHANT',
        customer_type: 'CONSUMER',
        email_address,
        payer_id: account_id,
        account_id,
        name,
      },
    };
  }
  const { name, ...card } = showCard(facts.card);
  // PayPal's schema allows only letters and spaces in the name.
  return { card: typeof name === 'string' && /^[A-Za-z ]+$/.test(name) ? { name, ...card } : card };
}

/** A saved card or wallet (PayPal Vault v3, payment_token_response). */
export function showToken(instrument: NewInstrument, view: View): JsonObject {
  const href = `${view.api}/v3/vault/payment-tokens/${instrument.token}`;
  return {
    id: instrument.token,
    customer: { id: instrument.customerId },
    payment_source: sourceOf(instrument.facts),
    links: [
      { href, rel: 'self', method: 'GET' },
      { href, rel: 'delete', method: 'DELETE' },
    ],
  };
}
