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
import { customerOf, toBuyer } from '../../payments/request/charge-request.ts';
import { checkActivation } from '../../payments/request/rules.ts';
import { saveRequest } from '../../payments/request/saved-instrument.ts';
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

/** One buyer's visit: the token, the payment as it is now, and what the merchant asked for. */
export interface Visit {
  readonly token: CheckoutToken;
  readonly tokenText: string;
  readonly context: AccountContext;
  readonly payment: PaymentRow;
  readonly request: StoredRequest;
  readonly customer: CustomerRow | null;
  /** The buyer pays with a link that keeps what it can. Whether it keeps this instrument would say whose address is on file. */
  readonly mayKeep: boolean;
  readonly branding: Branding;
}

/**
 * Finds what a token stands for; undefined for an unknown one. A payment whose window is over has failed by now.
 * @param suspend how the request waits
 */
export async function openVisit(
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
export type Standing =
  | { readonly kind: 'settled'; readonly payment: PaymentRow }
  /** It had ended before this step, which did nothing. */
  | { readonly kind: 'ended_before'; readonly payment: PaymentRow }
  /** Nothing was charged; the buyer may approve again or use another card. */
  | { readonly kind: 'not_approved'; readonly payment: PaymentRow }
  | { readonly kind: 'card_refused'; readonly code: FailureCode }
  | { readonly kind: 'too_many_cards' }
  /** Too many cards were declined lately, of this buyer or all: nothing was sent. */
  | { readonly kind: 'declined_too_often' }
  /** The bank asks the buyer first. */
  | { readonly kind: 'at_bank' }
  /** Another form of this page is being sent, or an operation is open. */
  | { readonly kind: 'processing' }
  /** We do not know yet. */
  | { readonly kind: 'in_doubt' }
  /** The processor did nothing, or was not asked since too many others are paying: it can be tried again. */
  | { readonly kind: 'not_reached' }
  /** The merchant cannot take payments at the moment. */
  | { readonly kind: 'not_possible' };

/** Whether a card is being sent, or something was asked of the processor whose answer is still to come. */
export async function isProcessing(deps: CheckoutDependencies, { token, payment }: Visit): Promise<boolean> {
  if (payment.status !== 'requires_action') return false;
  return token.busy || deps.payments.operations.isOpen(payment);
}

/** The bank's page for this payment; null while no bank asks anything. */
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

/** What the payment waits for its buyer to do; null where it waits for nobody. */
export const stepOf = ({ next_action: type }: Pick<PaymentRow, 'next_action'>): BuyerStep['step'] | null =>
  type === null ? null : nextActions[type].step;

/**
 * Where the payment stands after a step that charged nothing itself: another tab, the merchant or recovery may have. Whether an
 * operation is open is asked first, so that the outcome of one that ends in between is seen.
 * @param ended what a payment is that waits for its buyer no more
 * @param waiting what one is that still does
 */
export async function standingOf(
  { payments }: CheckoutDependencies,
  { context, payment }: Visit,
  ended: 'settled' | 'ended_before',
  waiting: (payment: PaymentRow) => Standing,
): Promise<Standing> {
  const isOpen = await payments.operations.isOpen(payment);
  const current = await requirePayment(payments.store, context, payment.id);
  if (current.status !== 'requires_action') return { kind: ended, payment: current };
  return isOpen ? { kind: 'in_doubt' } : waiting(current);
}

/** Confirms for the buyer on our page, as the merchant would by the API. */
export async function confirmForBuyer(deps: CheckoutDependencies, visit: Visit): Promise<Standing> {
  const { context, payment } = visit;
  let waiting = (current: PaymentRow): Standing => ({ kind: 'not_approved', payment: current });
  try {
    checkActivation(context);
    await confirmPayment(deps.payments, context, payment.id, { claim: null, resumes: null });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 500) waiting = () => ({ kind: 'not_reached' });
    else if (error.message !== notApproved) waiting = () => ({ kind: 'not_possible' });
  }
  return standingOf(deps, visit, 'settled', waiting);
}

/** Sends a typed card to the waiting order and, where that is enough, confirms. One card of a page at a time. */
export async function submitCard(deps: CheckoutDependencies, visit: Visit, card: Card): Promise<Standing> {
  const { payments, tokens } = deps;
  const lease = payments.lease();
  const attempt = await tokens.takeLease(visit.token, lease, payments.clock.now());
  if (attempt === 'busy') return { kind: 'processing' };
  if (attempt === 'spent') return notCharged(deps, visit, { kind: 'too_many_cards' });
  try {
    // The payment was read before the lease was taken: another form may have paid meanwhile.
    const payment = await requirePayment(payments.store, visit.context, visit.payment.id);
    if (payment.status !== 'requires_action') return { kind: 'ended_before', payment };
    return await sendCard(deps, { ...visit, payment }, card, attempt);
  } finally {
    await tokens.endLease(visit.token, lease);
  }
}

/** What a card led to that was not charged, unless another tab has paid meanwhile. */
const notCharged = (deps: CheckoutDependencies, visit: Visit, standing: Standing): Promise<Standing> =>
  standingOf(deps, visit, 'ended_before', () => standing);

async function sendCard(
  deps: CheckoutDependencies,
  visit: Visit,
  card: Card,
  attempt: number,
): Promise<Standing> {
  const { context, payment, request, customer, tokenText } = visit;
  const connected = context.connection.connected ? connectionOf(deps.payments, context, payment) : undefined;
  if (connected?.port.submitCard === undefined) return notCharged(deps, visit, { kind: 'not_possible' });
  const { links } = deps.payments;
  const outcome = await connected.port.submitCard(connected.connection, {
    paymentId: payment.id,
    // Each card is a request of its own: under one key the upstream would answer with the first card's result.
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
      // Whatever became of it: a card is only charged by the confirm after it.
      return notCharged(deps, visit, { kind: 'not_reached' });
  }
}

/**
 * The buyer's browser came back from the upstream. What it brought is kept; a payment that the buyer went on with from our
 * page is confirmed at once, any other waits for the merchant's confirm.
 */
export async function buyerReturned(
  deps: CheckoutDependencies,
  visit: Visit,
  query: Readonly<Record<string, string>>,
): Promise<Standing | { readonly kind: 'for_merchant' }> {
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

/** Whether it counts that the buyer comes back at all, with nothing: the window is over, and nobody had come. */
const isLate = ({ payment, context }: Visit): boolean =>
  (payment.status === 'requires_action' || payment.failure_code === '3ds_abandoned') &&
  isWindowOver(payment, context.now);

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
      ([name, value]) =>
        // What no database keeps came from no upstream.
        upstreamParameters.includes(name) && value.length <= 20_000 && !value.includes('\0'),
    ),
  );
}

/** The merchant's address with the payment's id, and what the upstream said, appended to its query; the rest unchanged. */
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
