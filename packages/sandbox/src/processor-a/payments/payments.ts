import { sendVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { showFault, slowAnswerMs } from '../../directives/faults.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { answerChallenge } from '../authorisation/challenges.ts';
import { type Directives, interpretDirectives } from '../authorisation/directives.ts';
import { serverError } from '../authorisation/errors.ts';
import { findInstrument } from '../authorisation/instruments.ts';
import { readDirectives } from '../authorisation/payment-request.ts';
import { storedTokenOf } from '../authorisation/recurring.ts';
import type { RequestStore, Settled } from '../store/store.ts';
import { type AnsweredRow, answerOf, type Call, isDueNow } from './call.ts';
import { type DecisionInput, decide } from './decision.ts';

/** Carries out further directives once a payment has its final response, before the response is sent. */
export type FollowUp = (row: AnsweredRow, directives: Directives) => Promise<void>;

/** `POST /payments` (Adyen Checkout API v71, "Start a transaction"; Adyen docs, "API idempotency"). */
export function createPayments(
  deps: SandboxDependencies,
  store: RequestStore,
  follow: FollowUp,
): (call: Call) => Promise<WireResponse> {
  const settleSlowly = async (row: AnsweredRow): Promise<Settled> => {
    if (row.idempotency_key !== null) {
      const { merchant_account, idempotency_key, psp_reference, at } = row;
      const claim = { merchant_account, idempotency_key, psp_reference, at, status: null, body: null };
      const claimed = await store.settle(claim);
      if (claimed.kind !== 'fresh') return claimed;
    }
    // Ignores the abort signal: a real processor continues after the client has closed the connection.
    await deps.delay(slowAnswerMs);
    return store.settle(row);
  };

  const readDecisionInput = async (call: Call): Promise<DecisionInput> => {
    const now = await deps.now(call.merchantAccount);
    const token = storedTokenOf(call.body);
    const instrument =
      token === undefined ? undefined : await findInstrument(deps.database, call.merchantAccount, token);
    const texts = [...readDirectives(call.body), ...(instrument?.facts.directives ?? [])];
    return { call, instrument, texts, directives: interpretDirectives(texts), now };
  };

  return async (call) => {
    const input = await readDecisionInput(call);
    const { directives, now } = input;
    const { fault } = directives;
    if (fault?.strikes === 'lost' && (await isDueNow(deps, call, now))) {
      return showFault(fault, deps, call.signal, serverError);
    }
    const row = await decide(deps, input);
    const settled = fault?.strikes === 'slow' ? await settleSlowly(row) : await store.settle(row);
    if (settled.kind === 'fresh') {
      const { challenge_id } = row;
      if (challenge_id !== undefined) {
        sendVirtualBuyer(deps, directives.buyer, (outcome) => answerChallenge(deps, challenge_id, outcome));
      }
      await follow(row, directives);
      if (fault?.strikes === 'done') return showFault(fault, deps, call.signal, serverError);
    }
    return answerOf(row, settled);
  };
}
