import { ApiError, limits, type RefundCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { requireNoApproval, requireWithinAmount, takeOnce } from '../api-keys/limits.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { nextTry } from '../operations/retry-plan.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { requirePayment } from '../payments/reads.ts';
import { unsupportedAmountReason } from '../processors/port/amounts.ts';
import { requireAvailable } from '../processors/port/availability.ts';
import {
  type Connected,
  outcomeUnknown,
  requireConnectionOf,
  unreachableReason,
} from '../processors/port/connected.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { NoAnswer } from '../processors/port/port.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import { commitRefund, writeRefund } from './commit-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import { askForRefund, settleRefund } from './refund.ts';
import { notRefundable } from './refundable.ts';
import type { RefundRow } from './row.ts';

export interface CreateRefundInput {
  readonly paymentId: string;
  readonly request: RefundCreate;
  readonly claim: Claim | null;
  /** Id of the refund that an earlier request with the same idempotency key left without an answer; null if there is none. */
  readonly resumes: string | null;
  /** The refund's predetermined id, so that repeated calls make it only once; omitted for a new id. */
  readonly id?: string | undefined;
  /** The audited request, if the refund is requested in the dashboard. */
  readonly audited?: AuditedRequest | null;
}

export type RefundAnswer = { readonly status: 201; readonly text: string } | { readonly keyTaken: true };

/** How often a refund is tried whose commit is beaten by a concurrent refund or chargeback of the payment. */
const maxTries = 20;

/**
 * Refunds a payment (spec, "Refunds"). The amount is taken from the payment's refundable rest before the request to the
 * processor, so that concurrent refunds together never exceed the payment, less what chargebacks keep (decisions, "Refunds").
 * @returns 201 with the refund, `pending`, or `failed` if the processor refuses at once
 * @throws ApiError `not_found`, `metadata_invalid`, `payment_not_refundable`, `amount_invalid`; `provider_error` or
 *   `provider_unavailable` if the outcome is unknown: the refund stays pending, and a retry with the same key resumes it
 */
export async function createRefund(
  deps: RefundDependencies,
  context: AccountContext,
  input: CreateRefundInput,
): Promise<RefundAnswer> {
  const payment = await requirePayment(deps.payments.store, context, input.paymentId);
  checkMetadata(input.request);
  const begun =
    input.resumes === null
      ? await begin(deps, context, payment, input)
      : await resume(deps, context, input.resumes, input.claim);
  if (!('refund' in begun)) return begun;
  const asked = input.resumes === null ? 'first' : 'again';
  return askAndCommit(deps, context, payment, { ...begun, asked }, input.claim);
}

/** A refund that this request holds the lease of, and the connection that it is requested from. */
interface Begun {
  readonly refund: RefundRow;
  readonly processor: Connected;
  readonly leaseUntil: Date;
}

async function begin(
  deps: RefundDependencies,
  context: AccountContext,
  payment: PaymentRow,
  { request, claim, id, audited = null }: CreateRefundInput,
): Promise<Begun | { keyTaken: true }> {
  if (payment.status !== 'succeeded') {
    throw new ApiError(
      'payment_not_refundable',
      `Only a succeeded payment can be refunded; this one is ${payment.status}.`,
    );
  }
  const inDoubt = false;
  const processor = requireAvailable(requireConnectionOf(deps, context, payment, { inDoubt }), { inDoubt });
  for (let tries = 0; tries < maxTries; tries += 1) {
    const refundable = await deps.store.refundable(payment);
    const { left } = refundable;
    const amount = request.amount ?? left;
    if (amount < 1 || amount > left) {
      // A concurrent request with the same idempotency key may have taken the amount. Then its response is replayed.
      if (claim !== null && (await deps.isKeyTaken(context, claim))) return { keyTaken: true };
      throw notRefundable(payment, request, refundable);
    }
    const uncarried = unsupportedAmountReason(processor.port, amount, payment.currency);
    if (uncarried !== null) throw new ApiError('amount_invalid', uncarried, { param: 'amount' });
    requireWithinAmount(context, { amount, currency: payment.currency });
    requireNoApproval(context, amount);
    const giveBack = await takeOnce(deps, context, { amount, currency: payment.currency }, claim);
    if (giveBack === null) return { keyTaken: true };
    const refund = newRefund(deps, context, payment, { request, amount, processor, id });
    const lease = deps.lease();
    const begun = await deps.store.begin({
      refund,
      seenLeft: request.amount === undefined ? left : null,
      isMade: false,
      lease,
      claim,
      audited,
    });
    if (begun === 'begun') return { refund, processor, leaseUntil: lease.until };
    await giveBack();
    if (begun === 'lost') return { keyTaken: true };
  }
  throw new ApiError('provider_unavailable', 'Too many refunds of this payment at once. Retry soon.', {
    retryAfterSeconds: 2,
  });
}

/** @throws ApiError `metadata_invalid` if a key or value is too long in bytes, because the schema can only count characters */
export function checkMetadata({ metadata = {} }: RefundCreate): void {
  const { refundMetadataKeyBytes: maxPerKey, refundMetadataValueBytes: maxPerValue } = limits;
  for (const [key, value] of Object.entries(metadata)) {
    const name = key.slice(0, 60);
    const fault =
      Buffer.byteLength(key) > maxPerKey
        ? `The key of metadata that begins with ${JSON.stringify(name)} must be at most ${maxPerKey} bytes in UTF-8.`
        : Buffer.byteLength(value) > maxPerValue
          ? `metadata.${name} must be at most ${maxPerValue} bytes in UTF-8.`
          : null;
    if (fault !== null) throw new ApiError('metadata_invalid', fault, { param: 'metadata' });
  }
}

function newRefund(
  deps: RefundDependencies,
  context: AccountContext,
  payment: PaymentRow,
  {
    request,
    amount,
    processor,
    id = newId('re', deps.clock.now(), deps.randomBytes),
  }: {
    readonly request: RefundCreate;
    readonly amount: number;
    readonly processor: Connected;
    readonly id?: string | undefined;
  },
): RefundRow {
  return {
    tenant: context.tenant,
    id,
    payment_id: payment.id,
    amount,
    currency: payment.currency,
    status: 'pending',
    reason: request.reason ?? null,
    note: request.note ?? null,
    failure_code: null,
    failure_message: null,
    metadata: request.metadata ?? {},
    upstream_id: null,
    version: 1,
    event_count: 0,
    processor_identity: processor.identity,
    created_at: context.now,
  };
}

/** Takes over the refund that an earlier request with the same idempotency key left without an answer. */
async function resume(
  deps: RefundDependencies,
  context: AccountContext,
  refundId: string,
  claim: Claim | null,
): Promise<Begun | RefundAnswer> {
  const { operations } = deps;
  const isUnanswered = (refund: RefundRow) => operations.isOpen(refund, ['refund']);
  const refund = await requireRefund(deps, context, refundId);
  if (!(await isUnanswered(refund))) return answerPresent(deps, context, refundId, claim);
  const processor = deps.connect(context);
  const why = unreachableReason(processor, refund);
  if (processor === undefined || why !== null) throw outcomeUnknown(why);
  const open = await operations.takeOver(refund, ['refund'], deps.lease(), deps.clock.now());
  if (open !== undefined) return { refund, processor, leaseUntil: open.lease_until };
  if (await isUnanswered(refund)) throw stillInDoubt();
  return answerPresent(deps, context, refundId, claim);
}

async function requireRefund(
  deps: RefundDependencies,
  context: AccountContext,
  id: string,
): Promise<RefundRow> {
  const refund = await deps.store.find(context, id);
  if (refund === undefined) throw new Error(`${id} does not exist`);
  return refund;
}

const stillInDoubt = () =>
  new ApiError(
    'provider_unavailable',
    'The refund is being looked into. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );

/** Returns the refund in its current state, and stores that as the response for the idempotency key. */
async function answerPresent(
  deps: RefundDependencies,
  context: AccountContext,
  refundId: string,
  claim: Claim | null,
): Promise<RefundAnswer> {
  const text = writeRefund(deps, context, await requireRefund(deps, context, refundId));
  if (claim !== null) {
    const answer = { resourceId: refundId, status: 201, body: text, createdAt: context.now };
    if (!(await deps.keepAnswer(context, claim, answer))) return { keyTaken: true };
  }
  return { status: 201, text };
}

async function askAndCommit(
  deps: RefundDependencies,
  context: AccountContext,
  payment: PaymentRow,
  { refund, processor, leaseUntil, asked }: Begun & { readonly asked: 'first' | 'again' },
  claim: Claim | null,
): Promise<RefundAnswer> {
  const outcome = await askForRefund(deps, context, processor, { payment, refund, leaseUntil, asked });
  if (outcome === 'too_late') {
    await deps.operations.leaveToRecovery(refund, leaseUntil, nextTry(deps, 0), context.suspend);
    throw stillInDoubt();
  }
  if ('answer' in outcome) throw await leavePending(deps, context, { refund, leaseUntil }, outcome);
  const change = settleRefund(refund, outcome, { now: deps.clock.now(), shown: 'later' });
  // If the notification or recovery committed first, respond with the state that it wrote.
  return (
    (await commitRefund(deps, context, refund, change, claim)) ??
    answerPresent(deps, context, refund.id, claim)
  );
}

/** Leaves the refund to recovery. @returns the error to throw */
async function leavePending(
  deps: RefundDependencies,
  context: AccountContext,
  { refund, leaseUntil }: Pick<Begun, 'refund' | 'leaseUntil'>,
  outcome: NoAnswer,
): Promise<ApiError> {
  deps.onIncident(context, `no definite answer about a refund: ${outcome.reason}`, refund);
  await deps.operations.leaveToRecovery(refund, leaseUntil, nextTry(deps, 0), context.suspend);
  return unansweredError(outcome, 'The refund stays pending: retry with the same Idempotency-Key.');
}
