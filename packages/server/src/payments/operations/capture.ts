import { ApiError, invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { requireNoApproval, requireWithinAmount, takeFromDay } from '../../api-keys/limits.ts';
import { runOperation } from '../../operations/run.ts';
import type { IdempotentRequest } from '../../operations/subject-access.ts';
import type { CaptureOutcome, NoAnswer } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { failed, type PaymentAnswer, withFacts } from '../settle-payment.ts';
import { cancelKey, holdRequest, type PaymentOperation, paymentAccess } from './payment-access.ts';

/** True if the 29 days of a hold are over: it can no longer be captured, only voided. @param now account time */
export const isHoldOver = (payment: PaymentRow, now: Date) =>
  payment.authorization_expires !== null && now.getTime() >= payment.authorization_expires.getTime();

/** Collects the whole held amount (spec, "Capture"). An issuer may decline it after the 3 guaranteed days. */
export const capture: PaymentOperation<Exclude<CaptureOutcome, NoAnswer>> = {
  kind: 'capture',
  upstreamKey: (payment) => `${payment.id}:k`,
  // A capture begins on a hold, and only a declined capture makes a hold fail.
  isReached: ({ status }) => status === 'succeeded' || status === 'failed',
  mayBegin(payment, { now }) {
    if (payment.status !== 'authorized') {
      throw invalidParam(
        'status',
        `Only an authorized payment can be captured; this one is ${payment.status}.`,
      );
    }
    if (isHoldOver(payment, now)) {
      throw invalidParam('status', 'The authorization has expired: the payment can only be voided.');
    }
    return true;
  },
  ask: (call) => call.connected.port.capture(call.connected.connection, holdRequest(call)),
  settle({ subject: payment }, outcome) {
    switch (outcome.kind) {
      case 'succeeded':
        return {
          kind: 'change',
          change: { after: { ...withFacts(payment, outcome.facts), status: 'succeeded' } },
        };
      case 'declined': {
        const after = failed(withFacts(payment, outcome.facts), outcome.code);
        // A declined capture leaves the hold on the buyer's card. Recovery releases it in the background.
        return { kind: 'change', change: { after, cancelKey: cancelKey(payment) } };
      }
      case 'hold_gone': {
        const gone = 'The processor no longer has this authorization: it can only be voided.';
        return { kind: 'refused', error: invalidParam('status', gone) };
      }
    }
  },
};

/**
 * Captures a payment for a request.
 * @param idempotent also holds the amount in minor units, if the request named one
 * @returns the payment, `succeeded` or `failed`
 * @throws ApiError `not_found`; `invalid_params` if it is not authorized, its hold is over or another amount was named
 */
export async function capturePayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
  { amount, ...idempotent }: IdempotentRequest & { readonly amount?: number | undefined },
): Promise<PaymentAnswer> {
  const taken: (() => Promise<void>)[] = [];
  let isAsked = false;
  const giveBack = async () => {
    for (const undo of taken.splice(0)) await undo();
  };
  const checked: typeof capture = {
    ...capture,
    async mayBegin(payment, at) {
      if (amount !== undefined && amount !== payment.amount) {
        throw invalidParam(
          'amount',
          `amount must be ${payment.amount}, the whole amount of the payment, or be left out: there is no partial capture; ${amount} was sent.`,
        );
      }
      const may = await capture.mayBegin(payment, at);
      if (idempotent.resumes !== null) return may;
      requireWithinAmount(context, payment);
      requireNoApproval(context, payment.amount);
      if (taken.length === 0) taken.push(await takeFromDay(deps.db, context, payment));
      return may;
    },
    ask(call) {
      isAsked = true;
      return capture.ask(call);
    },
  };
  try {
    const answer = await runOperation(deps, context, checked, paymentAccess(deps, context, id), idempotent);
    // If we asked the processor, our count stays: the retry that was answered meanwhile resumed this request and counted nothing.
    if ('keyTaken' in answer && !isAsked) await giveBack();
    return answer;
  } catch (error) {
    // Once asked, the processor may have captured, so the amount stays counted. A refusal captured nothing; yet if the request
    // has a key, the amount stays counted too, since a retry with the key would resume it and count nothing.
    const isRefused = error instanceof ApiError && error.status < 500 && idempotent.claim === null;
    if (error instanceof ApiError && (isRefused || !isAsked)) await giveBack();
    throw error;
  }
}
