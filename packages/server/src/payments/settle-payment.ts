import { type FailureCode, limits, nextActions, walletType } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';
import type { Answer, KeyTaken } from '../operations/subject-access.ts';
import { newAlert } from '../payment-alerts/alerts.ts';
import type { PaymentAlertKind, ReversalKind } from '../payment-alerts/kinds.ts';
import { type MethodToSave, prepareMethod } from '../payment-methods/payment-methods.ts';
import { type NewPaymentMethod, oneMethodPerToken } from '../payment-methods/store.ts';
import type { SavedInstrument } from '../processors/port/instruments.ts';
import type { ChargeFacts, ChargeOutcome, SettledOutcome } from '../processors/port/port.ts';
import type { UnsentField } from '../processors/port/unsent.ts';
import { brokenConstraint } from '../store/database.ts';
import type { PaymentDependencies } from './dependencies.ts';
import type { PaymentRow, ShownPayment } from './payment.ts';
import { eventOfStatus, type InternalStatus, requireTransition } from './payment.ts';
import { presentPayment } from './present.ts';
import type { PaymentSettlement as PaymentStoreSettlement } from './store.ts';

export type PaymentAnswer = (Answer & { readonly warnings?: readonly UnsentField[] }) | KeyTaken;

/** A payment's JSON as the API shows it at this moment. */
export function writePayment(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: ShownPayment,
): string {
  return deps.write(
    presentPayment(payment, {
      livemode: context.livemode,
      now: context.now,
      checkoutUrl: (row) => deps.links.checkoutUrl(tokenOf(deps, context, row.id)),
    }),
  );
}

const tokenOf = (
  deps: PaymentDependencies,
  { accountId, livemode }: AccountContext,
  paymentId: string,
): string => deps.links.token(accountId, livemode, paymentId);

/** A payment after a change, with what the answer said about saved methods, which are stored in their own table. */
export type ChangedPayment = PaymentRow & {
  readonly saved?: SavedInstrument | null;
  /** The saved method that the payment charged must not be charged again. */
  readonly instrumentGone?: true;
};

/** The payment with the facts of an answer and with `changes`; everything else stays. */
export function withFacts(
  payment: PaymentRow,
  facts: ChargeFacts,
  changes?: Partial<ChangedPayment>,
): ChangedPayment {
  return {
    ...payment,
    saved: facts.saved,
    brand: facts.brand ?? payment.brand,
    bin: facts.bin ?? payment.bin,
    last4: facts.last4 ?? payment.last4,
    exp_month: facts.expMonth ?? payment.exp_month,
    exp_year: facts.expYear ?? payment.exp_year,
    three_d_secure: facts.threeDSecure ?? payment.three_d_secure,
    avs: facts.avs ?? payment.avs,
    upstream: { ...payment.upstream, ...facts.upstream },
    network_transaction_reference: facts.networkTransactionReference ?? payment.network_transaction_reference,
    // Applied here and not in a second copy: copying a row of some forty columns is an expensive part of a create.
    ...changes,
  };
}

/** The payment as a definite answer leaves it. */
export function afterOutcome(payment: PaymentRow, outcome: SettledOutcome): ChangedPayment {
  switch (outcome.kind) {
    case 'succeeded':
      return withFacts(payment, outcome.facts, { status: 'succeeded' });
    case 'authorized':
      return withFacts(payment, outcome.facts, {
        status: 'authorized',
        authorization_guaranteed_until: outcome.deadlines.guaranteedUntil,
        authorization_expires: outcome.deadlines.expires,
      });
    case 'declined':
      return withFacts(payment, outcome.facts, {
        status: 'failed',
        failure_code: outcome.code,
        ...(outcome.instrumentGone === true ? { instrumentGone: true } : {}),
      });
  }
}

/** The payment while it waits for its buyer. */
export const afterRequiredAction = (
  payment: PaymentRow,
  outcome: Extract<ChargeOutcome, { kind: 'requires_action' }>,
): ChangedPayment => ({
  ...withFacts(payment, outcome.facts),
  status: 'requires_action',
  required_action: true,
  next_action: outcome.action,
  redirect_url: outcome.redirectUrl,
  confirm_by: new Date(payment.created_at.getTime() + limits.confirmationMinutes * 60_000),
});

export const failed = (payment: ChangedPayment, code: FailureCode): ChangedPayment => ({
  ...payment,
  status: 'failed',
  failure_code: code,
});

/** The failure code of a payment that was not confirmed within the 15 minutes (decisions, "Payments"). */
export function expiryCode(payment: PaymentRow): FailureCode {
  if (payment.buyer_done_at !== null) return '3ds_token_expired';
  const challenged = payment.next_action !== null && nextActions[payment.next_action].step === 'authenticate';
  return challenged ? '3ds_abandoned' : 'confirmation_expired';
}

/** How an answer changes a payment. */
export interface PaymentChange {
  readonly after: ChangedPayment;
  /** Upstream key under which recovery afterwards cancels whatever the processor may still carry out; absent: nothing. */
  readonly cancelKey?: string;
  /** An alert that the change raises for people to look at. */
  readonly alert?: Exclude<PaymentAlertKind, ReversalKind>;
}

export interface Settlement extends PaymentChange {
  /** The payment as it was read. */
  readonly before: PaymentRow;
  readonly claim: Claim | null;
  readonly status?: 200 | 201;
}

/**
 * Commit 2: writes the payment's new state with its event, the method that it saved and the answer to be replayed.
 * @returns the answer, or undefined if the payment changed meanwhile: then nothing was written
 */
export async function settlePayment(
  deps: PaymentDependencies,
  context: AccountContext,
  change: Settlement,
): Promise<Answer | undefined> {
  const { before, claim } = change;
  const { saved, instrumentGone, status: becomes } = change.after;
  if (before.status !== becomes) requireTransition(before.status, becomes);
  const { id, row: newMethod } = await deps.operations.pastFence(
    () => prepareSaved(deps, context, change.after, saved ?? null),
    context.suspend,
  );
  const after: PaymentRow =
    id === change.after.payment_method_id ? change.after : { ...change.after, payment_method_id: id };
  const text = writePayment(deps, context, after);
  const status = change.status ?? (after.status === 'failed' ? 200 : 201);
  // The hosted page also shows the outcome of a link's payment that never waited for its buyer, so that one needs a token too.
  const isFirstOfLink = before.status === 'processing' && after.payment_link_id !== null;
  const waits = before.status !== after.status && after.status === 'requires_action';
  let settled: Awaited<ReturnType<typeof deps.store.settle>>;
  try {
    const settlement = {
      payment: after,
      isFirst: before.status === 'processing',
      event: before.status === after.status ? null : eventFor(deps, context, after, text, claim),
      newMethod,
      goneMethod: instrumentGone === true ? after.payment_method_id : null,
      settledAt: context.now,
      checkoutToken: waits || isFirstOfLink ? sha256(tokenOf(deps, context, after.id)).toString('hex') : null,
      cancelKey: change.cancelKey ?? null,
      alert: change.alert === undefined ? null : await newAlert(deps.alerts, context, after, change.alert),
      answer: claim && { claim, status, body: text },
      link: linkCounts(before, after),
    };
    settled = await deps.operations.pastFence(() => deps.store.settle(settlement), context.suspend);
  } catch (error) {
    // Another payment has just saved the same card or wallet of this customer. Preparing again finds that method.
    if (brokenConstraint(error) === oneMethodPerToken) return settlePayment(deps, context, change);
    throw error;
  }
  if (settled === undefined) return undefined;
  deps.onSettled(after, context, settled.hasDeliveries);
  return { status, text };
}

/** Whether a link counts a payment with this status as open, and as paid (0 or 1 each). */
const countedAs = (status: InternalStatus) => ({
  open: Number(status === 'processing' || status === 'requires_action'),
  paid: Number(status === 'succeeded' || status === 'authorized'),
});

/** By how much a change of a payment changes the counts of its link; null if it has no link. */
function linkCounts(before: PaymentRow, after: PaymentRow): PaymentStoreSettlement['link'] {
  if (after.payment_link_id === null) return null;
  const [was, is] = [countedAs(before.status), countedAs(after.status)];
  return { link_open: is.open - was.open, link_paid: is.paid - was.paid };
}

/** The saved method to which a payment leads; null if it saves nothing, or has its method already. @param at account time */
export function methodToSave(payment: PaymentRow, saved: SavedInstrument, at: Date): MethodToSave | null {
  const { customer_id: customerId, save_model: model } = payment;
  if (model === null || customerId === null || payment.payment_method_id !== null) return null;
  return {
    customerId,
    type: payment.method_type === walletType ? walletType : 'card',
    brand: payment.brand,
    bin: payment.bin,
    last4: payment.last4,
    expMonth: payment.exp_month,
    expYear: payment.exp_year,
    model,
    saved,
    networkTransactionReference: payment.network_transaction_reference,
    savedBy: payment.id,
    begunAt: payment.created_at,
    processorIdentity: payment.processor_identity,
    at,
  };
}

/** Prepares the saved method of a payment. Only a charged payment saves one; any other keeps the one that it has, if any. */
async function prepareSaved(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  saved: SavedInstrument | null,
): Promise<{ id: string | null; row: NewPaymentMethod | null }> {
  const charged = payment.status === 'succeeded' || payment.status === 'authorized';
  const options = saved === null || !charged ? null : methodToSave(payment, saved, context.now);
  return options === null
    ? { id: payment.payment_method_id, row: null }
    : prepareMethod(deps.methods, context, options);
}

function eventFor(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  text: string,
  claim: Claim | null,
): NewEvent {
  const status: InternalStatus = payment.status;
  if (status === 'processing') throw new Error('a payment without an answer has no event');
  return {
    id: claim?.eventId ?? newId('evt', deps.clock.now(), deps.randomBytes),
    type: eventOfStatus[status],
    sequence: payment.event_count + 1,
    created: context.now,
    object: text,
  };
}
