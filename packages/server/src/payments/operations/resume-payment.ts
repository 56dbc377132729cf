import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { Claim } from '../../idempotency/claims.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { ProcessorPort } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { isKeyRemembered } from '../request/charge-request.ts';
import { type PaymentAnswer, writePayment } from '../settle-payment.ts';
import { namesUpstream } from './charge.ts';
import { isDiscarded } from './discard-payment.ts';

/** A charge that is ours to ask for, under its upstream key and until when (real time). */
export interface Started {
  readonly payment: PaymentRow;
  readonly upstreamKey: string;
  readonly leaseUntil: Date;
  /** Takes back what the request counted for its key; absent for a retry, of which an earlier attempt counted. */
  readonly uncount?: () => Promise<void>;
}

/** The payment that an earlier request with the same key began. */
export async function begunPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  const payment = await deps.store.find(context, id);
  if (payment === undefined) throw new Error(`claim names ${id}, which does not exist`);
  return payment;
}

/** The attempt that an earlier request with the same idempotency key left without an answer. */
export async function resumeCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  port: ProcessorPort,
  claim: Claim | null,
): Promise<Started | PaymentAnswer> {
  if (payment.status !== 'processing') return storePresentAnswer(deps, context, payment, claim);
  // Under a key that the upstream has forgotten a repeat would be a second charge.
  if (!isKeyRemembered(payment, port, context.now)) throw stillInDoubt();
  const now = deps.clock.now();
  // An expiry is left of a charge that was certainly not carried out: it begins anew, unless a notification says otherwise.
  const kinds: OperationKind[] = namesUpstream(payment) ? ['charge'] : ['charge', 'expire'];
  const open = await deps.operations.takeOver(payment, kinds, deps.lease(), now);
  if (open !== undefined) return { payment, upstreamKey: open.upstream_key, leaseUntil: open.lease_until };
  // Recovery is asking the processor at this moment, waits for what came of a cancellation, or has just settled it.
  if (await deps.operations.isOpen(payment)) {
    await deps.operations.expedite(payment, now);
    throw stillInDoubt();
  }
  const current = await begunPayment(deps, context, payment.id);
  // It has just been discarded, and its key freed: this is a new request.
  if (await isDiscarded(deps, current)) return { keyTaken: true };
  if (current.status === 'processing') throw stillInDoubt();
  return storePresentAnswer(deps, context, current, claim);
}

/** What an earlier request did is not known yet. */
export const stillInDoubt = () =>
  new ApiError(
    'provider_unavailable',
    'The payment is being looked into. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );

/** The payment was settled by somebody else meanwhile: its present state is the answer from now on. */
export async function storePresentAnswer(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const status = payment.status === 'failed' ? 200 : 201;
  const text = writePayment(deps, context, payment);
  if (claim !== null) {
    const answer = { resourceId: payment.id, status, body: text, createdAt: context.now };
    if (!(await deps.keepAnswer(context, claim, answer))) return { keyTaken: true };
  }
  return { status, text };
}
