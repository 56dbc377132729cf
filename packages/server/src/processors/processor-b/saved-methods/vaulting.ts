import type { RecurringModel, SavedInstrument, StoredInstrument } from '../../port/instruments.ts';
import type { ChargeInstrument } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** Whether a charge is the merchant's own: off-session, with nobody there to approve or authenticate. */
export const isOffSession = (instrument: ChargeInstrument): boolean =>
  (instrument.kind === 'stored' || instrument.kind === 'withheld') && instrument.initiator === 'merchant';

/** Whether a wallet pays, approved now or saved before. */
export const paysByWallet = (instrument: ChargeInstrument): boolean =>
  instrument.kind === 'wallet' ||
  ((instrument.kind === 'stored' || instrument.kind === 'withheld') && instrument.method === 'wallet');

/** `payment_source.card.stored_credential`. */
export interface CardCredential {
  readonly payment_initiator: 'CUSTOMER' | 'MERCHANT';
  readonly payment_type: 'ONE_TIME' | 'RECURRING' | 'UNSCHEDULED';
  readonly usage: 'FIRST' | 'SUBSEQUENT';
}

const paymentTypes: Readonly<Record<RecurringModel, CardCredential['payment_type']>> = {
  card_on_file: 'ONE_TIME',
  subscription: 'RECURRING',
  unscheduled_card_on_file: 'UNSCHEDULED',
};

/** Of the payment that saves a card, which only the buyer can start (PayPal REST Orders v2, card_stored_credential). */
export const firstCardCredential = (model: RecurringModel): CardCredential => ({
  payment_initiator: 'CUSTOMER',
  payment_type: paymentTypes[model],
  usage: 'FIRST',
});

/**
 * Of a charge of a saved card. The upstream takes one-time payments from buyers alone, so a merchant's own charge of a
 * card on file is an unscheduled one (PayPal REST Orders v2, card_stored_credential).
 */
export function laterCardCredential({ model, initiator }: StoredInstrument): CardCredential {
  return initiator === 'customer'
    ? { payment_initiator: 'CUSTOMER', payment_type: paymentTypes[model], usage: 'SUBSEQUENT' }
    : {
        payment_initiator: 'MERCHANT',
        payment_type: model === 'card_on_file' ? 'UNSCHEDULED' : paymentTypes[model],
        usage: 'SUBSEQUENT',
      };
}

/** `payment_source.paypal.stored_credential`. */
export interface WalletCredential {
  readonly payment_initiator: 'CUSTOMER' | 'MERCHANT';
  readonly usage: 'FIRST' | 'SUBSEQUENT';
  readonly usage_pattern: 'IMMEDIATE' | 'SUBSCRIPTION_PREPAID' | 'UNSCHEDULED_PREPAID';
}

const usagePatterns: Readonly<Record<RecurringModel, WalletCredential['usage_pattern']>> = {
  card_on_file: 'IMMEDIATE',
  subscription: 'SUBSCRIPTION_PREPAID',
  unscheduled_card_on_file: 'UNSCHEDULED_PREPAID',
};

/** Of the payment that saves a wallet (PayPal Server SDK 2.4, PaypalWalletStoredCredential). */
export const firstWalletCredential = (model: RecurringModel): WalletCredential => ({
  payment_initiator: 'CUSTOMER',
  usage: 'FIRST',
  usage_pattern: usagePatterns[model],
});

/** Of a charge of a saved wallet (PayPal Server SDK 2.4, PaypalWalletStoredCredential). */
export const laterWalletCredential = ({ model, initiator }: StoredInstrument): WalletCredential => ({
  payment_initiator: initiator === 'customer' ? 'CUSTOMER' : 'MERCHANT',
  usage: 'SUBSEQUENT',
  usage_pattern: usagePatterns[model],
});

/** `attributes.vault` of a card. */
export const cardVaulting = { store_in_vault: 'ON_SUCCESS' } as const;

/** `attributes.vault` of a wallet. */
export interface WalletVaulting {
  readonly store_in_vault: 'ON_SUCCESS';
  readonly usage_type: 'MERCHANT';
  readonly customer_type: 'CONSUMER';
  readonly usage_pattern: 'IMMEDIATE' | 'RECURRING_PREPAID';
  readonly permit_multiple_payment_tokens: true;
}

/**
 * Saves a wallet for this merchant's later charges. The same wallet saved for two customers gives two tokens, so that
 * removing one leaves the other (PayPal REST Orders v2, vault_paypal_wallet_base).
 */
export const walletVaulting = (model: RecurringModel): WalletVaulting => ({
  store_in_vault: 'ON_SUCCESS',
  usage_type: 'MERCHANT',
  customer_type: 'CONSUMER',
  // This list of patterns is shorter than a charge's: on demand stands for everything without a schedule.
  usage_pattern: model === 'subscription' ? 'RECURRING_PREPAID' : 'IMMEDIATE',
  permit_multiple_payment_tokens: true,
});

/** What an order saved; null where it saved nothing, or a notification will bring the token (Orders v2, vault_response). */
export function savedInstrument(paymentSource: JsonObject): SavedInstrument | null {
  for (const source of [jsonObject(paymentSource.card), jsonObject(paymentSource.paypal)]) {
    const vault = jsonObject(jsonObject(source.attributes).vault);
    const saved = jsonText(vault, 'status') === 'VAULTED' ? instrumentOf(vault) : null;
    if (saved !== null) return saved;
  }
  return null;
}

/** The token in a vault answer or notification with the customer that it lists under; null where there is none. */
export function instrumentOf(vault: JsonObject): SavedInstrument | null {
  const token = identifier(vault);
  return token === null ? null : { token, upstreamCustomer: identifier(jsonObject(vault.customer)) };
}

function identifier(object: JsonObject): string | null {
  const id = jsonText(object, 'id');
  return id !== null && /^[\w-]{1,255}$/.test(id) ? id : null;
}
