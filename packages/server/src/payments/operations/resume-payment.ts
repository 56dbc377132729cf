import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { Claim } from '../../idempotency/claims.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { ProcessorPort } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { isKeyRemembered } from '../request/charge-request.ts';
import type { SentWith } from '../request/sent-with.ts';
import { type PaymentAnswer, writePayment } from '../settle-payment.ts';
import { hasUpstreamIds } from './charge.ts';
import { isDiscarded } from './discard-payment.ts';

/** A charge that this process holds, with its upstream key and the end of the lease (real time). */
export interface Started {
  readonly payment: PaymentRow;
  readonly upstreamKey: string;
  readonly leaseUntil: Date;
  /** What the charge sends beside the request; absent for a retry: it sends what the first attempt sent. */
  readonly sent?: SentWith;
  /** Takes back what the request counted towards its API key's limits; absent for a retry: an earlier attempt counted it. */
  readonly uncount?: () => Promise<void>;
}

/** Reads the payment that an earlier request with the same key began. */
export async function begunPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  const payment = await deps.store.find(context, id);
  if (payment === undefined) throw new Error(`claim names ${id}, which does not exist`);
  return payment;
}

/**
 * Takes over the charge that an earlier request with the same idempotency key left without an answer; if the payment was settled
 * meanwhile, answers with its present state.
 * @throws ApiError `provider_unavailable` while recovery has to find out what happened
 */
export async function resumeCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  port: ProcessorPort,
  claim: Claim | null,
): Promise<Started | PaymentAnswer> {
  if (payment.status !== 'processing') return storePresentAnswer(deps, context, payment, claim);
  // If the upstream has forgotten the key, repeating it would charge a second time.
  if (!isKeyRemembered(payment, port, context.now)) throw stillInDoubt();
  const now = deps.clock.now();
  // An `expire` replaces a charge that was certainly not carried out. The retry charges anew, unless the upstream has named
  // something that it made of the payment since.
  const kinds: OperationKind[] = hasUpstreamIds(payment) ? ['charge'] : ['charge', 'expire'];
  const open = await deps.operations.takeOver(payment, kinds, deps.lease(), now);
  if (open !== undefined) return { payment, upstreamKey: open.upstream_key, leaseUntil: open.lease_until };
  // Recovery is asking the processor now, waits for the outcome of a cancellation, or has just settled the payment.
  if (await deps.operations.isOpen(payment)) {
    await deps.operations.expedite(payment, now);
    throw stillInDoubt();
  }
  const current = await begunPayment(deps, context, payment.id);
  // The payment has just been discarded and its key freed, so this counts as a new request.
  if (await isDiscarded(deps, current)) return { keyTaken: true };
  if (current.status === 'processing') throw stillInDoubt();
  return storePresentAnswer(deps, context, current, claim);
}

/** The error while the outcome of an earlier request is not known yet. */
export const stillInDoubt = () =>
  new ApiError(
    'provider_unavailable',
    'The payment is being looked into. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );

/** Another request, recovery or a notification settled the payment: stores and returns its present state as the answer. */
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
