/**
 * All names in the API that identify a payment's processor. No other code outside the adapters contains such
 * a name.
 */

export const providers = ['processor_a', 'processor_b'] as const;

/** The processor whose wallet has a browser SDK (spec, "Client tokens"). */
export const walletProvider = 'processor_b';

/** The `type` of a wallet as a payment method (spec, "Payment create request fields"). */
export const walletType = 'processor_b';

/** Types of payment methods. */
export const methodTypes = ['card', 'card_fields', walletType] as const;
export type MethodType = (typeof methodTypes)[number];

/** Types of payment methods that can be saved. */
export const savedMethodTypes = ['card', walletType] as const;
export type SavedMethodType = (typeof savedMethodTypes)[number];

/**
 * What a payment that requires action waits for, and which addresses its response shows (spec, "next_action
 * object").
 */
export interface BuyerStep {
  /** The buyer authenticates at the bank, types the card on the hosted page, or approves in the wallet. */
  readonly step: 'authenticate' | 'enter_card' | 'approve';
  readonly showsRedirectUrl: boolean;
  readonly showsCheckoutUrl: boolean;
}

/** The types of `next_action`. */
export const nextActions = {
  processor_a_redirect: { step: 'authenticate', showsRedirectUrl: true, showsCheckoutUrl: true },
  processor_b_card_fields: { step: 'enter_card', showsRedirectUrl: false, showsCheckoutUrl: true },
  processor_b_wallet: { step: 'approve', showsRedirectUrl: true, showsCheckoutUrl: true },
  processor_b_payer_action: { step: 'authenticate', showsRedirectUrl: true, showsCheckoutUrl: false },
} as const satisfies Readonly<Record<string, BuyerStep>>;
export type NextActionType = keyof typeof nextActions;
export const nextActionTypes = Object.keys(nextActions) as NextActionType[];
