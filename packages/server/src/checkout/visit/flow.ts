import { ApiError, type BuyerStep, type FailureCode, nextActions } from '@till/contract';
import { type Branding, readBranding } from '../../accounts/branding.ts';
import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { findAccount, tenantOf } from '../../accounts/store.ts';
import type { CardTesting } from '../../card-testing/card-testing.ts';
import type { CustomerRow } from '../../customers/store.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { appendParameters } from '../../lib/web/url.ts';
import type { MailDependencies } from '../../mail/queue-mail.ts';
import type { LinkDependencies } from '../../payment-links/payment-links.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import { requestOf } from '../../payments/drafts.ts';
import type { StoredRequest } from '../../payments/kept-request.ts';
import { noteReturn } from '../../payments/note-return.ts';
import { confirmPayment, notApproved } from '../../payments/operations/confirm.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import { isWindowOver, type PaymentRow } from '../../payments/payment.ts';
import { requirePayment } from '../../payments/reads.ts';
import { resolveAddresses } from '../../payments/request/address.ts';
import { checkActivation } from '../../payments/request/rules.ts';
import { saveRequest } from '../../payments/request/saved-instrument.ts';
import { customerOf, toBuyer } from '../../payments/request/sent-with.ts';
import { connectionOf } from '../../processors/port/connected.ts';
import type { Card } from '../../processors/port/port.ts';
import { readToken } from './links.ts';
import type { CheckoutStore, CheckoutToken } from './store.ts';

export interface CheckoutDependencies {
  readonly payments: PaymentDependencies;
  readonly links: Pick<LinkDependencies, 'store'>;
  readonly tokens: CheckoutStore;
  readonly mail: MailDependencies;
  readonly cardTesting: Pick<CardTesting, 'attempt' | 'declined' | 'mark'>;
}

/** One buyer's visit: the token, the payment as it is now, and the merchant's request. */
export interface Visit {
  readonly token: CheckoutToken;
  readonly tokenText: string;
  readonly context: AccountContext;
  readonly payment: PaymentRow;
  readonly request: StoredRequest;
  readonly customer: CustomerRow | null;
  /**
   * Whether the buyer pays with a link that saves payment methods where it can. The page does not show whether it will save
   * this one, since that would reveal whose address is on file.
   */
  readonly mayKeep: boolean;
  readonly branding: Branding;
}

/**
 * Finds the payment of a token; undefined if the token is unknown. A payment whose window is over has failed by now.
 * @param suspend suspends the request while it waits
 */
export async function findVisit(
  deps: CheckoutDependencies,
  tokenText: string,
  suspend: Suspend,
): Promise<Visit | undefined> {
  const { payments } = deps;
  const owner = readToken(tokenText);
  if (owner === undefined) return undefined;
  const account = await findAccount(payments.db, owner.accountId);
  if (account === undefined) return undefined;
  const token = await deps.tokens.find(tenantOf(account, owner.livemode), tokenText, payments.clock.now());
  if (token === undefined) return undefined;
  const context = backgroundContext(account, owner.livemode, payments.clock.now(), suspend);
  const payment = await retrievePayment(payments, context, token.payment_id);
  const linkId = payment.payment_link_id;
  const [request, customer, link, branding] = await Promise.all([
    requestOf(payments.db, payment),
    customerOf(payments, context, payment),
    linkId === null ? undefined : deps.links.store.find(context, linkId),
    readBranding(payments.db, context.accountId),
  ]);
  const mayKeep = link?.save_payment_method === true;
  return { token, tokenText, context, payment, request, customer, mayKeep, branding };
}

/** Where the payment stands after the buyer's last step. */
export type CheckoutState =
  | { readonly kind: 'settled'; readonly payment: PaymentRow }
  /** It had ended before this step, which did nothing. */
  | { readonly kind: 'ended_before'; readonly payment: PaymentRow }
  /** Nothing was charged. The buyer may approve again or use another card. */
  | { readonly kind: 'not_approved'; readonly payment: PaymentRow }
  | { readonly kind: 'card_refused'; readonly code: FailureCode }
  | { readonly kind: 'too_many_cards' }
  /** Too many cards were declined recently, of this buyer or of all. Nothing was sent. */
  | { readonly kind: 'declined_too_often' }
  /** The bank has to authenticate the buyer first. */
  | { readonly kind: 'at_bank' }
  /** Another form of this page is being sent, or an operation is open. */
  | { readonly kind: 'processing' }
  /** The outcome is not known yet. */
  | { readonly kind: 'in_doubt' }
  /** The processor did nothing, or was not called because too many others are paying. The buyer can try again. */
  | { readonly kind: 'not_reached' }
  /** The merchant cannot take payments at the moment. */
  | { readonly kind: 'not_possible' };

/** Whether a card is being sent, or a request to the processor has no answer yet. */
export async function isProcessing(deps: CheckoutDependencies, { token, payment }: Visit): Promise<boolean> {
  if (payment.status !== 'requires_action') return false;
  return token.busy || deps.payments.operations.isOpen(payment);
}

/** The URL of the bank's page for this payment; null if no bank waits for the buyer. */
export function bankAddress({ payment, token }: Visit): string | null {
  switch (stepOf(payment)) {
    case 'authenticate':
      return payment.redirect_url;
    case 'enter_card':
      return token.bank_url;
    case 'approve':
    case null:
      return null;
  }
}

/** The step that the payment waits for its buyer to take; null if it waits for nobody. */
export const stepOf = ({ next_action: type }: Pick<PaymentRow, 'next_action'>): BuyerStep['step'] | null =>
  type === null ? null : nextActions[type].step;

/**
 * Where the payment stands after a step that charged nothing itself. Another tab, the merchant or recovery may have charged
 * it. The open operation is looked up first, so that the outcome of an operation that ends in between is seen.
 * @param ended the outcome for a payment that no longer waits for its buyer
 * @param waiting the outcome for one that still does
 */
export async function checkoutStateOf(
  { payments }: CheckoutDependencies,
  { context, payment }: Visit,
  ended: 'settled' | 'ended_before',
  waiting: (payment: PaymentRow) => CheckoutState,
): Promise<CheckoutState> {
  const isOpen = await payments.operations.isOpen(payment);
  const current = await requirePayment(payments.store, context, payment.id);
  if (current.status !== 'requires_action') return { kind: ended, payment: current };
  return isOpen ? { kind: 'in_doubt' } : waiting(current);
}

/** Confirms for the buyer on our page, as the merchant would through the API. */
export async function confirmForBuyer(deps: CheckoutDependencies, visit: Visit): Promise<CheckoutState> {
  const { context, payment } = visit;
  let waiting = (current: PaymentRow): CheckoutState => ({ kind: 'not_approved', payment: current });
  try {
    checkActivation(context);
    await confirmPayment(deps.payments, context, payment.id, { claim: null, resumes: null });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 500) waiting = () => ({ kind: 'not_reached' });
    else if (error.message !== notApproved) waiting = () => ({ kind: 'not_possible' });
  }
  return checkoutStateOf(deps, visit, 'settled', waiting);
}

/** Sends a typed card to the waiting order and, if that is sufficient, confirms. A page sends one card at a time. */
export async function submitCard(
  deps: CheckoutDependencies,
  visit: Visit,
  card: Card,
): Promise<CheckoutState> {
  const { payments, tokens } = deps;
  const lease = payments.lease();
  const attempt = await tokens.takeLease(visit.token, lease, payments.clock.now());
  if (attempt === 'busy') return { kind: 'processing' };
  if (attempt === 'spent') return notCharged(deps, visit, { kind: 'too_many_cards' });
  try {
    // The payment was read before the lease was taken, so another form may have paid meanwhile.
    const payment = await requirePayment(payments.store, visit.context, visit.payment.id);
    if (payment.status !== 'requires_action') return { kind: 'ended_before', payment };
    return await sendCard(deps, { ...visit, payment }, card, attempt);
  } finally {
    await tokens.endLease(visit.token, lease);
  }
}

/** The outcome of a card that was not charged, unless another tab has paid meanwhile. */
const notCharged = (
  deps: CheckoutDependencies,
  visit: Visit,
  standing: CheckoutState,
): Promise<CheckoutState> => checkoutStateOf(deps, visit, 'ended_before', () => standing);

async function sendCard(
  deps: CheckoutDependencies,
  visit: Visit,
  card: Card,
  attempt: number,
): Promise<CheckoutState> {
  const { context, payment, request, customer, tokenText } = visit;
  const connected = context.connection.connected ? connectionOf(deps.payments, context, payment) : undefined;
  if (connected?.port.submitCard === undefined) return notCharged(deps, visit, { kind: 'not_possible' });
  const { links } = deps.payments;
  const outcome = await connected.port.submitCard(connected.connection, {
    paymentId: payment.id,
    // Each card is a request of its own: with the same key, the upstream would answer with the first card's result.
    upstreamKey: `${payment.id}:s:${attempt}`,
    upstream: payment.upstream,
    card,
    billingAddress: resolveAddresses(request, customer).billing,
    authentication: payment.authentication,
    returnUrl: links.returnUrl(tokenText),
    cancelUrl: links.cancelUrl(tokenText),
    buyer: toBuyer(customer),
    save: await saveRequest(deps.payments, payment, request),
  });
  switch (outcome.kind) {
    case 'approved':
      return confirmForBuyer(deps, visit);
    case 'redirect':
      await deps.tokens.sendToBank(visit.token, outcome.redirectUrl);
      return { kind: 'at_bank' };
    case 'card_refused':
      await deps.tokens.countRefusal(visit.token);
      return notCharged(deps, visit, { kind: 'card_refused', code: outcome.code });
    case 'unknown':
    case 'not_executed':
      // Whatever happened there, a card is charged only by the confirm that follows.
      return notCharged(deps, visit, { kind: 'not_reached' });
  }
}

/**
 * Handles the buyer's return from the upstream. The parameters that it appended are stored. A payment that the buyer
 * continued from our page is confirmed at once; any other waits for the merchant's confirm.
 */
export async function buyerReturned(
  deps: CheckoutDependencies,
  visit: Visit,
  query: Readonly<Record<string, string>>,
): Promise<CheckoutState | { readonly kind: 'for_merchant' }> {
  const { context, token } = visit;
  const brought = knownParameters(query);
  const isNoted = Object.keys(brought).length > 0 || isLate(visit);
  const payment = isNoted ? await noteReturn(deps.payments, context, visit.payment, brought) : visit.payment;
  if (payment.status !== 'requires_action') return { kind: 'settled', payment };
  if (!token.confirm_on_return) return { kind: 'for_merchant' };
  const standing = await confirmForBuyer(deps, { ...visit, payment });
  if (standing.kind === 'not_approved') await deps.tokens.leaveBank(token);
  return standing;
}

/**
 * Whether the return alone, without parameters, has to be recorded: the window is over, and the buyer had not returned before.
 */
const isLate = ({ payment, context }: Visit): boolean =>
  (payment.status === 'requires_action' || payment.failure_code === '3ds_abandoned') &&
  isWindowOver(payment, context.now);

/** The parameters that the upstreams append to our return address. Any others do not come from them and are ignored. */
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
      ([name, value]) =>
        // A value that no database stores cannot come from an upstream.
        upstreamParameters.includes(name) && value.length <= 20_000 && !value.includes('\0'),
    ),
  );
}

/** The merchant's URL with the payment's id and the upstream's outcome appended to its query; the rest is unchanged. */
export function merchantUrl(
  url: string,
  payment: PaymentRow,
  query: Readonly<Record<string, string>> = {},
): string {
  const outcome = ['error', 'liability_shift'].flatMap((name): [string, string][] => {
    const value = query[name];
    return value === undefined ? [] : [[name, value.slice(0, 100)]];
  });
  return appendParameters(url, { payment_id: payment.id, ...Object.fromEntries(outcome) });
}
