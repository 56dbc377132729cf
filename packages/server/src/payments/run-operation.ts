import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { requireAvailable } from '../processors/port/availability.ts';
import { type Connected, requireConnectionOf } from '../processors/port/connected.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { NoAnswer } from '../processors/port.ts';
import type { StaffAct } from '../users/acts.ts';
import type { OperationKind } from './operations.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { type PaymentAnswer, writePayment } from './settle-payment.ts';

/** What an operation finds when it looks at the payment: go ahead under this key, or nothing is left to do. */
export type Decision = { readonly upstreamKey: string } | { readonly done: true };

/** A decision to go ahead, with the one connection that will be asked. */
type Decided =
  | { readonly upstreamKey: string; readonly processor: Connected }
  | Extract<Decision, { done: true }>;

/** The request's idempotency key, and whether an earlier request with it was left without an answer. */
export interface Keyed {
  readonly claim: Claim | null;
  readonly resumes: string | null;
  /** Where somebody in the dashboard asks for it. */
  readonly act?: StaffAct | null;
}

/** An operation that is ours now. `fresh`: it has never been asked of the processor before. */
export interface Begun {
  readonly upstreamKey: string;
  readonly fresh: boolean;
}

/** What a request needs to ask the processor for its operation. */
export interface Asking extends Begun {
  readonly processor: Connected;
  readonly claim: Claim | null;
}

export interface OperationSteps {
  readonly kind: OperationKind;
  /** Whether the payment is where this operation leads: what a repeat of an unanswered request is answered with. */
  readonly reached: (payment: PaymentRow) => boolean;
  /** @throws ApiError where the payment's state does not allow the operation */
  readonly decide: (payment: PaymentRow) => Decision | Promise<Decision>;
  /**
   * Asks the processor and commits its answer.
   * @returns undefined where the payment changed meanwhile: then it is looked at again
   */
  readonly work: (
    payment: PaymentRow,
    begun: Begun,
    processor: Connected,
  ) => Promise<{ status: 200 | 201; text: string } | undefined>;
}

/**
 * Runs confirm, capture or void on a payment. Only the holder of the payment's one open operation may ask the
 * processor, so of two at once one wins and the other sees what it did.
 * @param read finds the payment, or throws `not_found`
 */
export async function runOperation(
  parts: PaymentParts,
  context: AccountContext,
  read: () => Promise<PaymentRow>,
  { claim, resumes, act }: Keyed,
  steps: OperationSteps,
): Promise<PaymentAnswer> {
  // Written with the first operation that begins; after that, and where a request is carried on, the key is ours.
  let unclaimed = resumes === null ? claim : null;
  const others = new OtherOperation(parts);
  for (;;) {
    const payment = await read();
    if (resumes !== null && steps.reached(payment)) return keepPresent(parts, context, payment, claim);
    const decision = await decide(parts, context, payment, { unclaimed, inDoubt: resumes !== null }, steps);
    if (decision === 'lost') return { lostClaim: true };
    if ('done' in decision) return keepPresent(parts, context, payment, claim);
    if (parts.waits.isFull(payment.id)) throw stillRunning();

    const begun = await begin(parts, context, payment, {
      kind: steps.kind,
      upstreamKey: decision.upstreamKey,
      claim: unclaimed,
      act: act ?? null,
      // What this very request was left with has its audit entry already.
      isRepeat: resumes !== null,
    });
    if (begun === 'lost') return { lostClaim: true };
    if (begun === 'busy') {
      await others.wait(context, payment, steps.kind);
      continue;
    }
    unclaimed = null;
    const work = (current: PaymentRow) => steps.work(current, begun, decision.processor);
    const answer = await workOn(parts, context, payment, { read, work });
    if (answer !== undefined) return answer;
  }
}

/**
 * Works on a payment whose operation is ours; then those who wait for it go on.
 * @param payment as it was when the operation was decided on
 * @returns undefined where the payment changed meanwhile
 */
async function workOn(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  {
    read,
    work,
  }: {
    readonly read: () => Promise<PaymentRow>;
    readonly work: (current: PaymentRow) => ReturnType<OperationSteps['work']>;
  },
): ReturnType<OperationSteps['work']> {
  try {
    const current = await read();
    if (current.version === payment.version) return await work(current);
    await parts.operations.close(payment, context.now);
    return undefined;
  } finally {
    parts.waits.ended(payment.id);
  }
}

/** Waits while another operation of the payment is open, for a bounded time. */
class OtherOperation {
  readonly #parts: PaymentParts;
  readonly #deadline: number;
  #expedited = false;

  constructor(parts: PaymentParts) {
    this.#parts = parts;
    this.#deadline = parts.waits.deadline();
  }

  /**
   * @param kind what is to be done: an operation of that kind that was left without an answer is carried on
   * @throws ApiError `provider_unavailable` where it does not end in time, or too many wait already
   */
  async wait({ suspend }: AccountContext, payment: PaymentRow, kind: OperationKind): Promise<void> {
    const { clock, operations, waits } = this.#parts;
    if (!this.#expedited) await operations.expedite(payment, clock.now());
    this.#expedited = true;
    const isOver = await waits.wait({
      accountId: payment.account_id,
      id: payment.id,
      deadline: this.#deadline,
      isOver: async () => !(await operations.isHeld(payment, [kind], clock.now())),
      suspend,
    });
    if (!isOver) throw stillRunning();
  }
}

interface Intent {
  readonly kind: OperationKind;
  readonly upstreamKey: string;
  readonly claim: Claim | null;
  readonly act: StaffAct | null;
  readonly isRepeat: boolean;
}

/** Begins an operation, or carries on one of the same kind that was left without an answer, under its own key. */
async function begin(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  { isRepeat, ...rest }: Intent,
): Promise<Begun | 'busy' | 'lost'> {
  const { kind, upstreamKey, act } = rest;
  const result = await parts.operations.begin({
    ...rest,
    payment,
    id: newId('op', parts.clock.now(), parts.randomBytes),
    at: context.now,
    lease: parts.lease(),
  });
  if (result !== 'busy') return result === 'begun' ? { upstreamKey, fresh: true } : 'lost';
  // Of another kind recovery has to find out first what became of it.
  const now = parts.clock.now();
  const open = await parts.operations.takeOver(payment, [kind], parts.lease(), now, {
    act: isRepeat ? null : act,
    claim: rest.claim,
    at: context.now,
  });
  return open === undefined ? 'busy' : { upstreamKey: open.upstream_key, fresh: false };
}

/** A refusal for the payment's state may come from this very request's twin, which was faster: then its answer counts. */
async function decide(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  { unclaimed, inDoubt }: { readonly unclaimed: Claim | null; readonly inDoubt: boolean },
  steps: OperationSteps,
): Promise<Decided | 'lost'> {
  try {
    const decision = await steps.decide(payment);
    if ('done' in decision) return decision;
    const processor = requireConnectionOf(parts, context, payment, { inDoubt });
    return { ...decision, processor: requireAvailable(processor, { inDoubt }) };
  } catch (error) {
    if (unclaimed !== null && (await parts.isKeyTaken(context, unclaimed))) return 'lost';
    throw error;
  }
}

/**
 * The processor certainly did nothing, and was never asked before: the payment is free again.
 * @returns what to throw
 */
export async function giveUp(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: NoAnswer,
): Promise<ApiError> {
  parts.onTrouble(`the processor carried nothing out: ${outcome.reason}`, payment);
  await parts.operations.close(payment, context.now);
  return unansweredError(outcome, 'Nothing has changed.');
}

async function keepPresent(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const text = writePayment(parts, context, payment);
  if (claim !== null) {
    await parts.keepAnswer(context, claim, {
      resourceId: payment.id,
      status: 200,
      body: text,
      createdAt: context.now,
    });
  }
  return { status: 200, text };
}

function stillRunning(): ApiError {
  return new ApiError(
    'provider_unavailable',
    'Another operation on this payment is still running. Retry soon.',
    {
      retryAfterSeconds: 2,
    },
  );
}
