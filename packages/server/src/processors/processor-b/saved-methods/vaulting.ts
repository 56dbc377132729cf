import type { RecurringModel, SavedInstrument, StoredInstrument } from '../../port/instruments.ts';
import type { ChargeInstrument } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** Whether the merchant initiates the charge: off-session, with no buyer present to approve or authenticate. */
export const isOffSession = (instrument: ChargeInstrument): boolean =>
  (instrument.kind === 'stored' || instrument.kind === 'withheld') && instrument.initiator === 'merchant';

/** Whether a wallet pays, whether approved now or saved earlier. */
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

/**
 * Credential of the payment that saves a card, which only the buyer can initiate (PayPal REST Orders v2,
 * card_stored_credential).
 */
export const firstCardCredential = (model: RecurringModel): CardCredential => ({
  payment_initiator: 'CUSTOMER',
  payment_type: paymentTypes[model],
  usage: 'FIRST',
});

/**
 * Credential of a later charge of a saved card. The upstream accepts one-time payments only from buyers, so a
 * merchant-initiated charge of a card on file is sent as unscheduled (PayPal REST Orders v2, card_stored_credential).
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

/** Credential of the payment that saves a wallet (PayPal Server SDK 2.4, PaypalWalletStoredCredential). */
export const firstWalletCredential = (model: RecurringModel): WalletCredential => ({
  payment_initiator: 'CUSTOMER',
  usage: 'FIRST',
  usage_pattern: usagePatterns[model],
});

/** Credential of a later charge of a saved wallet (PayPal Server SDK 2.4, PaypalWalletStoredCredential). */
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
 * Saves a wallet for later charges by this merchant. The same wallet saved for two customers gives two tokens, so that
 * removing one leaves the other (PayPal REST Orders v2, vault_paypal_wallet_base).
 */
export const walletVaulting = (model: RecurringModel): WalletVaulting => ({
  store_in_vault: 'ON_SUCCESS',
  usage_type: 'MERCHANT',
  customer_type: 'CONSUMER',
  // Vaulting supports fewer patterns than a charge: IMMEDIATE (on demand) stands for everything without a schedule.
  usage_pattern: model === 'subscription' ? 'RECURRING_PREPAID' : 'IMMEDIATE',
  permit_multiple_payment_tokens: true,
});

/**
 * Reads what an order saved; null if it saved nothing, or if a notification will bring the token (Orders v2, vault_response).
 */
export function savedInstrument(paymentSource: JsonObject): SavedInstrument | null {
  for (const source of [jsonObject(paymentSource.card), jsonObject(paymentSource.paypal)]) {
    const vault = jsonObject(jsonObject(source.attributes).vault);
    const saved = jsonText(vault, 'status') === 'VAULTED' ? instrumentOf(vault) : null;
    if (saved !== null) return saved;
  }
  return null;
}

/** Reads the token in a vault response or notification, and the customer that it is listed under; null if there is none. */
export function instrumentOf(vault: JsonObject): SavedInstrument | null {
  const token = identifier(vault);
  return token === null ? null : { token, upstreamCustomer: identifier(jsonObject(vault.customer)) };
}

function identifier(object: JsonObject): string | null {
  const id = jsonText(object, 'id');
  return id !== null && /^[\w-]{1,255}$/.test(id) ? id : null;
}
