import { isoExponent } from '../money.ts';
import type { SandboxParts } from '../parts.ts';
import {
  answerChallenge,
  findChallenge,
  isClosed,
  returnOf as returnOfChallenge,
} from '../processor-a/challenges.ts';
import { awaitsBuyer, resolveOrder, returnOf as returnOfOrder } from '../processor-b/approval.ts';
import { isGone } from '../processor-b/order.ts';
import { findSetupToken, resolveSetupToken, returnOfSetup } from '../processor-b/setup-tokens.ts';
import { createOrderStore } from '../processor-b/store.ts';
import type { BuyerOutcome } from '../virtual-buyer.ts';

/** What a buyer is asked on a page, of whichever processor. */
export interface Task {
  readonly kind: 'approval' | 'challenge';
  readonly shop: string | null;
  /** Null where nothing is to be paid now. */
  readonly amount: string | null;
  readonly card: string | null;
  /** `over` is what nobody can answer any more. */
  readonly state: 'open' | 'answered' | 'over';
  /** Whether the buyer has answered, which may leave the task open: a cancelled approval can still be given. */
  readonly answered: boolean;
  /** Where the browser goes after the last answer; null before it, and where there is no way back. */
  readonly returnUrl: string | null;
  answer(outcome: BuyerOutcome): Promise<unknown>;
}

export type TaskParts = Pick<SandboxParts, 'database' | 'now' | 'randomBytes'>;

function displayAmount(value: number, currency: string): string {
  const digits = isoExponent(currency);
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** The approval of a wallet that is to be saved at processor_b. */
async function findSetupTask(parts: TaskParts, id: string): Promise<Task | null> {
  const token = await findSetupToken(parts, id);
  if (token === null) return null;
  return {
    kind: 'approval',
    shop: token.brandName,
    amount: null,
    card: null,
    state: token.status === 'PAYER_ACTION_REQUIRED' ? 'open' : 'answered',
    answered: token.buyer !== null,
    returnUrl: returnOfSetup(token)?.returnUrl ?? null,
    answer: (outcome) => resolveSetupToken(parts, id, outcome),
  };
}

/** The approval or challenge of an order of processor_b, or the approval of a setup token. */
export async function findOrderTask(parts: TaskParts, kind: Task['kind'], id: string): Promise<Task | null> {
  const read = await createOrderStore(parts).read(id);
  if (read === null) return kind === 'approval' ? findSetupTask(parts, id) : null;
  const { order } = read;
  const itsKind = order.card === null ? 'approval' : 'challenge';
  if (kind !== itsKind) return null;
  const gone = isGone(order, await parts.now(order.merchantAccount));
  const answered = order.buyer === null ? 'over' : 'answered';
  return {
    kind,
    shop: order.brandName,
    amount: displayAmount(Number(order.money.value), order.money.currency_code),
    card: order.card?.last4 ?? null,
    state: gone ? 'over' : awaitsBuyer(order) ? 'open' : answered,
    answered: order.buyer !== null,
    returnUrl: returnOfOrder(order)?.returnUrl ?? null,
    answer: (outcome) => resolveOrder(parts, id, outcome),
  };
}

/** The challenge of a payment of processor_a. */
export async function findChallengeTask(parts: TaskParts, id: string): Promise<Task | null> {
  const challenge = await findChallenge(parts, 'id', id);
  if (challenge === null) return null;
  const { payment, state } = challenge;
  const { minor, currency } = payment.amount;
  const open = state === 'open' && !isClosed(challenge, await parts.now(challenge.merchantAccount));
  const returnUrl = returnOfChallenge(challenge)?.returnUrl ?? null;
  return {
    kind: 'challenge',
    shop: null,
    amount: displayAmount(minor / 10 ** isoExponent(currency), currency),
    card: payment.card.last4,
    state: open ? 'open' : returnUrl === null ? 'over' : 'answered',
    answered: returnUrl !== null,
    returnUrl,
    answer: (outcome) => answerChallenge(parts, id, outcome),
  };
}
