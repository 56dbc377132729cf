import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { withQuery } from '../../lib/return-url.ts';
import { sandboxBuyer } from '../model/identities.ts';
import { internetTime, isGone, type Order } from '../model/order.ts';
import { answerChallenge } from '../model/three-d-secure.ts';
import { createOrderStore } from '../store/store.ts';
import { filledInCard } from './payment-source.ts';

/** The issuers' response code for a decline without a reason (PayPal processor response codes). */
const genericDecline = '5100';

export type ApprovalDependencies = Pick<SandboxDependencies, 'database' | 'now'>;

/** Whether the order still waits for the buyer. */
export function awaitsBuyer(order: Order): boolean {
  if (order.status === 'PAYER_ACTION_REQUIRED') return true;
  return order.status === 'CREATED' && order.card === null;
}

function afterWallet(order: Order, outcome: BuyerOutcome, at: string): Order | null {
  if (order.directive === 'SIM-WALLET-NEVER') return null;
  const paidFrom = { ...order, origin: 'wallet' as const, updatedAt: at };
  if (outcome === 'abandoned') return { ...paidFrom, buyer: 'abandoned' };
  const buyer = outcome === 'approved' ? 'approved' : 'declined';
  return { ...paidFrom, buyer, status: 'APPROVED', approvedAt: at };
}

/**
 * The order after the buyer entered the standard test card into the processor's card fields, or a card that
 * the issuer declines.
 */
function afterFields(order: Order, outcome: BuyerOutcome, now: Date): Order {
  const at = internetTime(now);
  if (outcome === 'abandoned') return { ...order, buyer: 'abandoned', updatedAt: at };
  const card = filledInCard(now);
  return {
    ...order,
    card: outcome === 'approved' ? card : { ...card, stoppedBy: genericDecline },
    buyer: 'approved',
    status: 'APPROVED',
    approvedAt: at,
    updatedAt: at,
  };
}

function afterChallenge(order: Order, outcome: BuyerOutcome, at: string): Order | null {
  const { card } = order;
  if (card === null || card.challenge === null || card.challenge === 'never_returns') return null;
  const { authentication, stoppedBy, ended } = answerChallenge(card.challenge, outcome);
  const answered = { ...order, authentication, updatedAt: at };
  if (!ended) return { ...answered, buyer: 'abandoned' };
  return {
    ...answered,
    card: { ...card, stoppedBy },
    buyer: stoppedBy === null ? 'approved' : 'failed',
    status: 'APPROVED',
    approvedAt: at,
  };
}

function afterBuyer(order: Order, outcome: BuyerOutcome, now: Date): Order | null {
  const at = internetTime(now);
  if (order.card !== null) return afterChallenge(order, outcome, at);
  return order.origin === 'card_fields' ? afterFields(order, outcome, now) : afterWallet(order, outcome, at);
}

/**
 * Returns where the page sends the browser after the buyer's last answer, or null if it stays on the page.
 */
export function returnOf(order: Order): { readonly returnUrl: string } | null {
  const { buyer, card, authentication } = order;
  const target = buyer === 'abandoned' ? order.cancelUrl : order.returnUrl;
  if (buyer === null || target === null) return null;
  if (card === null) {
    const payer = buyer === 'abandoned' ? {} : { PayerID: sandboxBuyer.account_id };
    return { returnUrl: withQuery(target, { token: order.id, ...payer }) };
  }
  if (buyer === 'abandoned') return { returnUrl: target };
  const failed =
    buyer === 'failed'
      ? { error: 'authentication_failed', error_description: '3D Secure authentication failed' }
      : {};
  return {
    returnUrl: withQuery(target, {
      liability_shift: authentication?.liability_shift ?? 'UNKNOWN',
      ...failed,
    }),
  };
}

/**
 * Answers an order's approval or challenge as the buyer's page does, and returns where the browser goes next.
 * If the buyer has already answered, the result is the same as before.
 */
export async function resolveOrder(
  deps: ApprovalDependencies,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  const store = createOrderStore(deps);
  for (;;) {
    const read = await store.read(id);
    if (read === null) return null;
    const { order } = read;
    const now = await deps.now(order.merchantAccount);
    if (isGone(order, now)) return null;
    if (!awaitsBuyer(order)) return returnOf(order);
    const next = afterBuyer(order, outcome, now);
    if (next === null || (await store.change(read, next, now))) return next === null ? null : returnOf(next);
  }
}
