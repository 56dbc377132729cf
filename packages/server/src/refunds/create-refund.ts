import { ApiError, limits, type RefundCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import type { PaymentRow } from '../payments/present.ts';
import { requirePayment } from '../payments/retrieve-payment.ts';
import { uncarriedAmount } from '../processors/port/amounts.ts';
import { requireAvailable } from '../processors/port/availability.ts';
import {
  type Connected,
  outcomeUnknown,
  requireConnectionOf,
  whyUnreachable,
} from '../processors/port/connected.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { NoAnswer } from '../processors/port.ts';
import type { StaffAct } from '../users/acts.ts';
import type { RefundParts } from './parts.ts';
import { notRefundable, refundableOf } from './refundable.ts';
import type { RefundRow } from './row.ts';
import {
  afterAnswer,
  askProcessor,
  commitRefund,
  isKeyRemembered,
  nextTry,
  writeRefund,
} from './settle-refund.ts';

export interface CreateRefundInput {
  readonly paymentId: string;
  readonly request: RefundCreate;
  readonly claim: Claim | null;
  /** The refund of an earlier attempt under the same idempotency key that never got its answer. */
  readonly resumes: string | null;
  /** Where somebody in the dashboard asks for it. */
  readonly act?: StaffAct | null;
}

export type RefundAnswer = { readonly status: 201; readonly text: string } | { readonly lostClaim: true };

/** Refunds try again where another refund, or a chargeback, was faster. */
const mostTries = 20;

/**
 * Gives money back (spec, "Refunds"). Its amount is taken from what is left of the payment before the processor is asked,
 * so that any number of refunds at once never exceed the payment, nor what chargebacks leave of it (decisions, "Refunds").
 * @returns 201 with the refund, `pending`, or `failed` where the processor refuses at once
 * @throws ApiError `not_found`, `metadata_invalid`, `payment_not_refundable`, `amount_invalid`; `provider_error` or
 *   `provider_unavailable` where the outcome is not known: the refund stays pending and the same key carries it on
 */
export async function createRefund(
  parts: RefundParts,
  context: AccountContext,
  input: CreateRefundInput,
): Promise<RefundAnswer> {
  const payment = await requirePayment(parts.payments.store, context, input.paymentId);
  checkMetadata(input.request);
  const begun =
    input.resumes === null
      ? await begin(parts, context, payment, input)
      : await carryOn(parts, context, input.resumes, input.claim);
  if (!('refund' in begun)) return begun;
  const asked = input.resumes === null ? 'first' : 'again';
  return askAndCommit(parts, context, payment, { ...begun, asked }, input.claim);
}

/** A refund that is ours to ask for, and the one connection that is asked. */
interface Begun {
  readonly refund: RefundRow;
  readonly processor: Connected;
}

async function begin(
  parts: RefundParts,
  context: AccountContext,
  payment: PaymentRow,
  { request, claim, act = null }: CreateRefundInput,
): Promise<Begun | { lostClaim: true }> {
  if (payment.status !== 'succeeded') {
    throw new ApiError(
      'payment_not_refundable',
      `Only a succeeded payment can be refunded; this one is ${payment.status}.`,
    );
  }
  const inDoubt = false;
  const processor = requireAvailable(requireConnectionOf(parts, context, payment, { inDoubt }), { inDoubt });
  for (let tries = 0; tries < mostTries; tries += 1) {
    const refundable = await refundableOf(parts.db, payment);
    const { left } = refundable;
    const amount = request.amount ?? left;
    if (amount < 1 || amount > left) {
      // The twin of this very request may have taken it: then its answer counts.
      if (claim !== null && (await parts.isKeyTaken(context, claim))) return { lostClaim: true };
      throw notRefundable(payment, request, refundable);
    }
    const uncarried = uncarriedAmount(processor.port, amount, payment.currency);
    if (uncarried !== null) throw new ApiError('amount_invalid', uncarried, { param: 'amount' });
    const refund = newRefund(parts, context, payment, { request, amount, processor });
    const begun = await parts.store.begin({
      refund,
      seenLeft: request.amount === undefined ? left : null,
      isMade: false,
      lease: parts.lease(),
      claim,
      act,
    });
    if (begun === 'lost') return { lostClaim: true };
    if (begun === 'begun') return { refund, processor };
  }
  throw new ApiError('provider_unavailable', 'Too many refunds of this payment at once. Retry soon.', {
    retryAfterSeconds: 2,
  });
}

/** @throws ApiError `metadata_invalid` for a value over its bytes: the schema can only count characters */
function checkMetadata({ metadata = {} }: RefundCreate): void {
  const tooLong = Object.entries(metadata).find(
    ([, value]) => Buffer.byteLength(value) > limits.refundMetadataValueBytes,
  );
  if (tooLong === undefined) return;
  throw new ApiError(
    'metadata_invalid',
    `metadata.${tooLong[0].slice(0, 60)} must be at most ${limits.refundMetadataValueBytes} bytes in UTF-8.`,
    { param: 'metadata' },
  );
}

function newRefund(
  parts: RefundParts,
  context: AccountContext,
  payment: PaymentRow,
  {
    request,
    amount,
    processor,
  }: { readonly request: RefundCreate; readonly amount: number; readonly processor: Connected },
): RefundRow {
  return {
    account_id: context.accountId,
    livemode: context.livemode,
    id: newId('re', parts.clock.now(), parts.randomBytes),
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
    asked: 'intent',
    done_upstream: false,
    tries: 0,
    processor_identity: processor.identity,
    created_at: context.now,
  };
}

/** The refund that an earlier request with the same idempotency key left without an answer. */
async function carryOn(
  parts: RefundParts,
  context: AccountContext,
  refundId: string,
  claim: Claim | null,
): Promise<Begun | RefundAnswer> {
  const refund = await parts.store.find(context, refundId);
  if (refund === undefined) throw new Error(`claim names ${refundId}, which does not exist`);
  if (refund.asked === 'answered') return keepKnown(parts, context, refund, claim);
  const processor = parts.connect(context);
  const why = whyUnreachable(processor, refund);
  if (processor === undefined || why !== null) throw outcomeUnknown(why);
  // Under a key that the upstream has forgotten a repeat would be a second refund.
  if (!isKeyRemembered(refund, context.processor, context.now)) throw beingLookedInto();
  if (await parts.store.takeOver(refund, parts.lease(), parts.clock.now())) return { refund, processor };
  const current = await parts.store.find(context, refundId);
  if (current?.asked === 'answered') return keepKnown(parts, context, current, claim);
  throw beingLookedInto();
}

const beingLookedInto = () =>
  new ApiError(
    'provider_unavailable',
    'The refund is being looked into. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );

async function keepKnown(
  parts: RefundParts,
  context: AccountContext,
  refund: RefundRow,
  claim: Claim | null,
): Promise<RefundAnswer> {
  const text = writeRefund(parts, refund);
  if (claim !== null) {
    await parts.keepAnswer(context, claim, {
      resourceId: refund.id,
      status: 201,
      body: text,
      createdAt: context.now,
    });
  }
  return { status: 201, text };
}

async function askAndCommit(
  parts: RefundParts,
  context: AccountContext,
  payment: PaymentRow,
  { refund, processor, asked }: Begun & { readonly asked: 'first' | 'again' },
  claim: Claim | null,
): Promise<RefundAnswer> {
  const outcome = await askProcessor(processor, payment, refund, asked);
  if ('answer' in outcome) throw await stayPending(parts, refund, outcome);
  const after = afterAnswer(refund, outcome, 'later');
  const answer = await commitRefund(parts, context, refund, after, claim);
  if (answer !== undefined) return answer;
  // Its notification, or recovery, was faster.
  const current = await parts.store.find(context, refund.id);
  if (current === undefined) throw new Error(`${refund.id} is gone`);
  return keepKnown(parts, context, current, claim);
}

/** @returns what to throw */
async function stayPending(parts: RefundParts, refund: RefundRow, outcome: NoAnswer): Promise<ApiError> {
  parts.onTrouble(`no definite answer about a refund: ${outcome.reason}`, refund);
  await parts.store.putOff(refund, parts.lease(), nextTry(parts, 0));
  return unansweredError(outcome, 'The refund stays pending: retry with the same Idempotency-Key.');
}
