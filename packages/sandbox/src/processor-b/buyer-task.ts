import { displayAmount, type Task, type TaskDependencies } from '../buyer/buyer-tasks.ts';
import { isGone } from './model/order.ts';
import { awaitsBuyer, resolveOrder, returnOf as returnOfOrder } from './orders/approval.ts';
import { createOrderStore } from './store/store.ts';
import { findSetupToken, resolveSetupToken, returnOfSetup } from './vault/setup-tokens.ts';

/** Finds the approval of a wallet that is to be saved. */
async function findSetupTask(deps: TaskDependencies, id: string): Promise<Task | null> {
  const token = await findSetupToken(deps, id);
  if (token === null) return null;
  return {
    kind: 'approval',
    shop: token.brandName,
    amount: null,
    card: null,
    state: token.status === 'PAYER_ACTION_REQUIRED' ? 'open' : 'answered',
    answered: token.buyer !== null,
    returnUrl: returnOfSetup(token)?.returnUrl ?? null,
    answer: (outcome) => resolveSetupToken(deps, id, outcome),
  };
}

/** Finds the approval or challenge of an order, or the approval of a setup token. */
export async function findOrderTask(
  deps: TaskDependencies,
  kind: Task['kind'],
  id: string,
): Promise<Task | null> {
  const read = await createOrderStore(deps).read(id);
  if (read === null) return kind === 'approval' ? findSetupTask(deps, id) : null;
  const { order } = read;
  const itsKind = order.card === null ? 'approval' : 'challenge';
  if (kind !== itsKind) return null;
  const gone = isGone(order, await deps.now(order.merchantAccount));
  const answered = order.buyer === null ? 'over' : 'answered';
  return {
    kind,
    shop: order.brandName,
    amount: displayAmount(Number(order.money.value), order.money.currency_code),
    card: order.card?.last4 ?? null,
    state: gone ? 'over' : awaitsBuyer(order) ? 'open' : answered,
    answered: order.buyer !== null,
    returnUrl: returnOfOrder(order)?.returnUrl ?? null,
    answer: (outcome) => resolveOrder(deps, id, outcome),
  };
}
