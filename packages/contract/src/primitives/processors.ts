/** Every name on the wire that says which processor a payment belongs to. Nothing else outside the adapters spells one. */

export const providers = ['processor_a', 'processor_b'] as const;

/** The processor whose wallet has a browser SDK (spec, "Client tokens"). */
export const walletProvider = 'processor_b';

/** `type` of a wallet as payment method (spec, "Payment create request fields"). */
export const walletType = 'processor_b';

/** What a payment can be made with, by the `type` of its method. */
export const methodTypes = ['card', 'card_fields', walletType] as const;
export type MethodType = (typeof methodTypes)[number];

/** What can be saved, by the `type` of the method. */
export const savedMethodTypes = ['card', walletType] as const;
export type SavedMethodType = (typeof savedMethodTypes)[number];

/** What a waiting payment waits for, and which addresses its answer shows (spec, "next_action object"). */
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
