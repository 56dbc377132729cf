/** Saving instruments and charging them again, as the rest of the server knows it. */
import type { NoAnswer } from './answers.ts';

/** Why a saved instrument is charged again (spec, `recurring_processing_model`). */
export type RecurringModel = 'card_on_file' | 'subscription' | 'unscheduled_card_on_file';

/** A card or wallet that the upstream keeps under a token. The token is in clear only on its way to or from there. */
export interface StoredInstrument {
  readonly kind: 'stored';
  readonly method: 'card' | 'wallet';
  readonly token: string;
  /** The upstream's own id of the customer, where it has one. */
  readonly upstreamCustomer: string | null;
  readonly model: RecurringModel;
  /** `merchant`: off-session, no challenge is possible. */
  readonly initiator: 'customer' | 'merchant';
  /** Scheme reference of the payment that saved it. */
  readonly networkTransactionReference: string | null;
}

/** How the instrument of this charge is to be kept for later ones. */
export interface SaveRequest {
  readonly model: RecurringModel;
  /** The upstream's id of this customer from an earlier saving, so that all of its tokens list together. */
  readonly upstreamCustomer: string | null;
  /** True: asked for explicitly, so that a charge without saving is no success; false: the account's default. */
  readonly required: boolean;
}

/** What the upstream keeps from now on. */
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

/** `removed` also where the upstream had nothing under the token any more. */
export type RemoveInstrumentOutcome = { readonly kind: 'removed' } | NoAnswer;

/** A short-lived token for the wallet's browser SDK. */
export interface ClientTokenRequest {
  readonly upstreamCustomer: string | null;
  /** Sites that may use it; empty: not bound. */
  readonly domains: readonly string[];
}

export type ClientTokenOutcome =
  | {
      readonly kind: 'minted';
      readonly token: string;
      readonly clientId: string;
      readonly lifeSeconds: number;
    }
  | NoAnswer;
