import { ApiError } from '@till/contract';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { resolveAddresses } from '../payments/address.ts';
import type { StoredRequest } from '../payments/charge-request.ts';
import { confirmPayment, notApproved } from '../payments/confirm-payment.ts';
import type { PaymentParts } from '../payments/parts.ts';
import type { PaymentRow } from '../payments/present.ts';
import { requirePayment, retrievePayment } from '../payments/retrieve-payment.ts';
import { checkActivation } from '../payments/rules.ts';
import type { Card } from '../processors/port.ts';
import type { CheckoutStore, CheckoutToken } from './store.ts';

export interface CheckoutParts {
  readonly payments: PaymentParts;
  readonly tokens: CheckoutStore;
}

/** One buyer's visit: the token, the payment as it is now, and what the merchant asked for. */
export interface Visit {
  readonly token: CheckoutToken;
  readonly tokenText: string;
  readonly context: AccountContext;
  readonly payment: PaymentRow;
  readonly request: StoredRequest;
}

/** Finds what a token stands for; undefined for an unknown one. A payment whose window is over has failed by now. */
export async function openVisit(parts: CheckoutParts, tokenText: string): Promise<Visit | undefined> {
  const token = await parts.tokens.find(tokenText);
  if (token === undefined) return undefined;
  const account = await findAccount(parts.payments.db, token.account_id);
  if (account === undefined) return undefined;
  const context = backgroundContext(account, token.livemode, parts.payments.clock.now());
  const payment = await retrievePayment(parts.payments, context, token.payment_id);
  const request = await parts.payments.store.requestOf<StoredRequest>(payment);
  return { token, tokenText, context, payment, request };
}

/** Where the payment stands after the buyer's last step. */
export type Standing =
  | { readonly kind: 'settled'; readonly payment: PaymentRow }
  /** Nothing was charged; the buyer may approve again or use another card. */
  | { readonly kind: 'not_approved'; readonly payment: PaymentRow }
  | { readonly kind: 'card_refused' }
  | { readonly kind: 'go_to'; readonly url: string }
  /** We do not know yet. */
  | { readonly kind: 'in_doubt' }
  /** The merchant cannot take payments at the moment. */
  | { readonly kind: 'not_possible' };

/** Confirms for the buyer on our page, as the merchant would by the API. */
export async function confirmForBuyer(parts: CheckoutParts, visit: Visit): Promise<Standing> {
  const { context, payment } = visit;
  try {
    checkActivation(context);
    await confirmPayment(parts.payments, context, payment.id, { claim: null, resumes: null });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 500) return { kind: 'in_doubt' };
    if (error.message !== notApproved) return { kind: 'not_possible' };
  }
  const current = await requirePayment(parts.payments.store, context, payment.id);
  return current.status === 'requires_action'
    ? { kind: 'not_approved', payment: current }
    : { kind: 'settled', payment: current };
}

/** Sends a typed card to the waiting order and, where that is enough, confirms. */
export async function submitCard(parts: CheckoutParts, visit: Visit, card: Card): Promise<Standing> {
  const { context, payment, request, tokenText } = visit;
  const connected = parts.payments.connect(context);
  if (connected?.port.submitCard === undefined) return { kind: 'not_possible' };
  const { links } = parts.payments;
  const attempt = await parts.tokens.reserveAttempt(visit.token);
  if (attempt === undefined) return { kind: 'not_possible' };
  const outcome = await connected.port.submitCard(connected.connection, {
    paymentId: payment.id,
    // Each card is a request of its own: under one key the upstream would answer with the first card's result.
    upstreamKey: `${payment.id}:s:${attempt}`,
    upstream: payment.upstream,
    card,
    billingAddress: resolveAddresses(request, null).billing,
    authentication: payment.authentication,
    returnUrl: links.returnUrl(tokenText),
    cancelUrl: links.cancelUrl(tokenText),
  });
  switch (outcome.kind) {
    case 'approved':
      return confirmForBuyer(parts, visit);
    case 'redirect':
      await parts.tokens.confirmOnReturn(visit.token);
      return { kind: 'go_to', url: outcome.redirectUrl };
    case 'card_refused':
      await parts.tokens.countRefusal(visit.token);
      return { kind: 'card_refused' };
    case 'unknown':
    case 'not_executed':
      return { kind: 'in_doubt' };
  }
}

/**
 * The buyer's browser came back from the upstream. What it brought is kept; a challenge of processor_a, and a payment
 * that the buyer went on with from our page, is confirmed at once; anything else waits for the merchant's confirm.
 */
export async function buyerReturned(
  parts: CheckoutParts,
  visit: Visit,
  query: Readonly<Record<string, string>>,
): Promise<Standing | { readonly kind: 'for_merchant' }> {
  const { payment, context, token } = visit;
  if (payment.status !== 'requires_action') return { kind: 'settled', payment };
  const brought = knownParameters(query);
  if (Object.keys(brought).length > 0) await parts.payments.store.noteReturn(payment, brought, context.now);
  if (payment.next_action === 'processor_a_redirect' || token.confirm_on_return)
    return confirmForBuyer(parts, visit);
  return { kind: 'for_merchant' };
}

/** What the upstreams add to our return address; anything else in it is somebody's guess. */
const upstreamParameters = [
  'redirectResult',
  'token',
  'PayerID',
  'liability_shift',
  'error',
  'state',
  'code',
];

function knownParameters(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter(
      ([name, value]) => upstreamParameters.includes(name) && value.length <= 20_000,
    ),
  );
}

/** The merchant's address with the payment's id, and what the upstream told, added to its query. */
export function merchantUrl(
  url: string,
  payment: PaymentRow,
  query: Readonly<Record<string, string>> = {},
): string {
  const address = new URL(url);
  address.searchParams.set('payment_id', payment.id);
  for (const name of ['error', 'liability_shift']) {
    const value = query[name];
    if (value !== undefined) address.searchParams.set(name, value.slice(0, 100));
  }
  return address.href;
}
