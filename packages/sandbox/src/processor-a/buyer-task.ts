import { displayAmount, type Task, type TaskDependencies } from '../buyer/buyer-tasks.ts';
import { isoExponent } from '../lib/money.ts';
import {
  answerChallenge,
  findChallenge,
  isClosed,
  returnOf as returnOfChallenge,
} from './authorisation/challenges.ts';

/** Finds the task of a payment's challenge. This processor has no approvals. */
export async function findChallengeTask(
  deps: TaskDependencies,
  kind: Task['kind'],
  id: string,
): Promise<Task | null> {
  if (kind !== 'challenge') return null;
  const challenge = await findChallenge(deps, 'id', id);
  if (challenge === null) return null;
  const { payment, state } = challenge;
  const { minor, currency } = payment.amount;
  const open = state === 'open' && !isClosed(challenge, await deps.now(challenge.merchantAccount));
  const returnUrl = returnOfChallenge(challenge)?.returnUrl ?? null;
  return {
    kind: 'challenge',
    shop: null,
    amount: displayAmount(minor / 10 ** isoExponent(currency), currency),
    card: payment.card.last4,
    state: open ? 'open' : returnUrl === null ? 'over' : 'answered',
    answered: returnUrl !== null,
    returnUrl,
    answer: (outcome) => answerChallenge(deps, id, outcome),
  };
}
