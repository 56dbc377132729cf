import {
  displayAmount,
  type Task,
  type TaskDependencies,
} from '../../../packages/sandbox/src/buyer/buyer-tasks.ts';
import type { BuyerOutcome } from '../../../packages/sandbox/src/buyer/virtual-buyer.ts';
import { isoExponent } from '../../../packages/sandbox/src/lib/money.ts';
import { withQuery } from '../../../packages/sandbox/src/lib/return-url.ts';
import { createStore } from './store.ts';

/**
 * Answers a challenge as the bank's page does.
 * @returns where the browser goes next; null if nothing waits
 */
export async function answerBuyer(
  deps: TaskDependencies,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  const store = createStore(deps);
  await store.move(id, 'open', 'answered', outcome);
  const answered = await store.find('id', id);
  if (answered === undefined || answered.outcome === null) return null;
  return { returnUrl: withQuery(answered.returnUrl, { charge: answered.chargeId }) };
}

/** Finds the task that waits for the buyer under an id, for the bank's page. */
export async function findTask(deps: TaskDependencies, kind: Task['kind'], id: string): Promise<Task | null> {
  const waiting = kind === 'challenge' ? await createStore(deps).find('id', id) : undefined;
  if (waiting === undefined) return null;
  const { state, outcome, amount, currency, returnUrl, chargeId } = waiting;
  return {
    kind,
    shop: null,
    amount: displayAmount(amount / 10 ** isoExponent(currency), currency),
    card: null,
    state: state === 'open' ? 'open' : outcome === null ? 'over' : 'answered',
    answered: outcome !== null,
    returnUrl: outcome === null ? null : withQuery(returnUrl, { charge: chargeId }),
    answer: (given) => answerBuyer(deps, id, given),
  };
}
