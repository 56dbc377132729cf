import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { Brand, Challenge } from '../../directives/cards.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import { withQuery } from '../../lib/return-url.ts';
import type { KeptPayment } from './payment-request.ts';

/** The path of the issuers' challenge pages. The challenge's id follows it. */
export const challengePath = '/sandbox/processor-a/challenge/';

/** The stored part of a payment while its challenge is open. */
export interface KeptChallenge {
  readonly payment: KeptPayment;
  readonly challenge: Challenge;
  readonly brand: Brand;
  /** The request, without card number and security code. */
  readonly received: unknown;
  /** The directives among the request's texts. Undefined in challenges that an earlier release stored. */
  readonly directives?: readonly string[];
}

export interface OpenChallenge extends KeptChallenge {
  readonly id: string;
  readonly merchantAccount: string;
  readonly pspReference: string;
  readonly state: 'open' | 'answered' | 'completed' | 'cancelled';
  readonly outcome: BuyerOutcome | null;
  readonly redirectResult: string | null;
  readonly createdAt: Date;
}

const findSql = (column: 'id' | 'redirect_result'): string => `
select id, merchant_account, psp_reference, state, outcome, redirect_result, payment, created_at
from sandbox.challenges where ${column} = $1`;

const answerSql = `
update sandbox.challenges set state = 'answered', outcome = $2, redirect_result = $3
where id = $1 and state = 'open'`;

/** Finds a challenge by its id, or by the `redirectResult` with which its page sent the buyer back. */
export async function findChallenge(
  { database }: Pick<SandboxDependencies, 'database'>,
  by: 'id' | 'redirect_result',
  value: string,
): Promise<OpenChallenge | null> {
  const { rows } = await database.query(findSql(by), [value]);
  if (rows.length === 0) return null;
  const row = columnsOf(rows[0]);
  return {
    ...(row.payment as KeptChallenge),
    id: String(row.id),
    merchantAccount: String(row.merchant_account),
    pspReference: String(row.psp_reference),
    state: row.state as OpenChallenge['state'],
    outcome: row.outcome as BuyerOutcome | null,
    redirectResult: row.redirect_result as string | null,
    createdAt: row.created_at as Date,
  };
}

const offerMs = 12 * 60 * 60 * 1000;

/** The directive for a challenge that cannot be answered: the processor closes its offer at once. */
export const offerDirective = {
  case: 'T14',
  value: 'SIM-OFFER-CLOSED',
  outcome:
    'With a challenge card: the processor closes the offer after one second: failed with 3ds_abandoned',
} as const;

export const isOfferClosing = (text: string): boolean => text === offerDirective.value;

/**
 * Whether the payment's offer is closed. Adyen closes it after twelve hours without completion; a directive
 * closes it at once.
 */
export function isClosed(challenge: OpenChallenge, now: Date): boolean {
  const isDirected = challenge.directives?.some(isOfferClosing) === true;
  return isDirected || now.getTime() > challenge.createdAt.getTime() + offerMs;
}

/** Returns where the page sends the browser after the buyer's answer, or null if there is no answer yet. */
export function returnOf(challenge: OpenChallenge): { readonly returnUrl: string } | null {
  const { redirectResult, payment } = challenge;
  if (redirectResult === null) return null;
  return { returnUrl: withQuery(payment.returnUrl, { redirectResult }) };
}

/**
 * Answers a challenge as the issuer's page does, and returns where the browser goes next. If the buyer has
 * already answered, the result is the same as before. Null if there is no challenge to answer or its page
 * never returns.
 */
export async function answerChallenge(
  deps: Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  const challenge = await findChallenge(deps, 'id', id);
  if (challenge === null || challenge.challenge === 'never_returns') return null;
  const now = await deps.now(challenge.merchantAccount);
  if (challenge.state === 'open' && isClosed(challenge, now)) return null;
  const redirectResult = `sim_${randomReference(deps.randomBytes(64))}`;
  await deps.database.query(answerSql, [id, outcome, redirectResult]);
  // Reads the challenge again, because the first of two concurrent answers wins.
  const answered = await findChallenge(deps, 'id', id);
  return answered === null ? null : returnOf(answered);
}
