/** Processor-independent types for saving payment methods and charging them again. */
import type { NoAnswer } from './answers.ts';

/** The reason for charging a saved instrument again (spec, `recurring_processing_model`). */
export type RecurringModel = 'card_on_file' | 'subscription' | 'unscheduled_card_on_file';

/**
 * A card or wallet that the upstream stores under a token. The token is unencrypted only on its way to or from the upstream.
 */
export interface StoredInstrument {
  readonly kind: 'stored';
  readonly method: 'card' | 'wallet';
  readonly token: string;
  /** The upstream's own id of the customer, if it has one. */
  readonly upstreamCustomer: string | null;
  readonly model: RecurringModel;
  /** `merchant`: off-session, so no challenge is possible. */
  readonly initiator: 'customer' | 'merchant';
  /** Card scheme's reference of the payment that saved the instrument. */
  readonly networkTransactionReference: string | null;
}

/** How to save the instrument of this charge for later ones. */
export interface SaveRequest {
  readonly model: RecurringModel;
  /** The upstream's customer id from an earlier save, so that it lists all tokens of this customer together. */
  readonly upstreamCustomer: string | null;
  /** True: the merchant asked for it, so a charge without saving is not a success. False: it is only the account's default. */
  readonly required: boolean;
}

/** The instrument as the upstream saved it. */
export interface SavedInstrument {
  readonly token: string;
  readonly upstreamCustomer: string | null;
}

export interface RemoveInstrumentRequest {
  readonly token: string;
  /** Our `cus_` id. */
  readonly customerId: string;
  readonly upstreamKey: string;
}

/** `removed` also if the upstream no longer had anything under the token. */
export type RemoveInstrumentOutcome = { readonly kind: 'removed' } | NoAnswer;

/** Request for a short-lived token for the wallet's browser SDK. */
export interface ClientTokenRequest {
  readonly upstreamCustomer: string | null;
  /** Domains that may use the token; empty: not bound to any. */
  readonly domains: readonly string[];
}

export type ClientTokenOutcome =
  | {
      readonly kind: 'minted';
      readonly token: string;
      readonly clientId: string;
      readonly lifetimeSeconds: number;
    }
  | NoAnswer;
