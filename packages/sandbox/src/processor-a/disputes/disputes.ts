import {
  type DisputeDirective,
  type DisputePosition,
  type DisputeStage,
  disputeStepMs,
} from '../../directives/dispute-directives.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, objectIn } from '../../lib/json.ts';
import { randomDigits, randomReference } from '../../lib/random.ts';
import type { OpenedDispute } from '../../simulator/simulator.ts';
import { canSend, type Dispute, defenceOf, type PlannedPosition, redirected, spaced } from './dispute.ts';
import { reasonOf } from './dispute-reasons.ts';
import { findDispute, insertDispute, replaceDispute } from './dispute-store.ts';

interface DisputedCharge {
  readonly reference: string;
  readonly pspReference: string;
  /** `amount` is in the merchant's minor units, `value` in the processor's. */
  readonly amount: number;
  readonly value: number;
  readonly currency: string;
  readonly brand: string;
}

const chargeSql = `
select reference, psp_reference, amount, currency, brand, received from sandbox.charges
where merchant_account = $1 and reference = $2 and status = 'captured' and received ? 'merchantAccount'
order by created_at, psp_reference limit 1`;

async function findCharge(
  { database }: Pick<SandboxDependencies, 'database'>,
  merchantAccount: string,
  reference: string,
): Promise<DisputedCharge | undefined> {
  const { rows } = await database.query(chargeSql, [merchantAccount, reference]);
  if (rows.length === 0) return undefined;
  const row = columnsOf(rows[0]);
  return {
    reference,
    pspReference: String(row.psp_reference),
    amount: Number(row.amount),
    value: Number(objectIn(row.received, 'amount').value),
    currency: String(row.currency),
    brand: String(row.brand),
  };
}

interface Opening {
  readonly positions: readonly PlannedPosition[];
  readonly afterDefence: readonly DisputePosition[];
  /** In the processor's minor units. */
  readonly value: number;
  readonly reason?: string | undefined;
}

/** The smallest amount that both sides can represent, in the merchant's minor units. */
const unitOf = ({ amount, value }: DisputedCharge): number => Math.max(1, amount / value);

/**
 * Converts an amount from the merchant's minor units to the processor's. Returns undefined if the processor
 * cannot represent it.
 */
function upstreamValue(charge: DisputedCharge, amount: number): number | undefined {
  const unit = unitOf(charge);
  if (amount % unit !== 0) return undefined;
  return (amount / unit) * Math.max(1, charge.value / charge.amount);
}

async function open(
  deps: Pick<SandboxDependencies, 'database' | 'randomBytes'>,
  merchantAccount: string,
  charge: DisputedCharge,
  { positions, afterDefence, value, reason }: Opening,
  now: Date,
): Promise<{ readonly upstreamId: string }> {
  const upstreamId = randomReference(deps.randomBytes(16));
  const { code, words } = reasonOf(charge.brand, reason);
  const dispute: Dispute = {
    reference: charge.reference,
    paymentPspReference: charge.pspReference,
    amount: { currency: charge.currency, value },
    brand: charge.brand,
    reasonCode: code,
    reasonWords: words,
    arn: randomDigits(deps.randomBytes(23)),
    afterDefence,
    steps: redirected([], now, positions),
    documents: [],
  };
  await insertDispute(deps.database, merchantAccount, upstreamId, dispute, now);
  return { upstreamId };
}

const firstStatus: Readonly<Record<DisputeStage, DisputePosition['status']>> = {
  information_request: 'action_required',
  chargeback: 'action_required',
  pre_arbitration: 'action_required',
  scheme_arbitration: 'challenged',
  second_chargeback: 'action_required',
};

/**
 * Opens a dispute of a captured payment, and plans its notification for now.
 *
 * @param asked.amount in the merchant's minor units; default: the whole payment
 * @param asked.reason a term such as `fraudulent`, or a scheme's own code; default: fraud
 * @returns null if nothing was captured under the reference, or less than the amount; `amount_not_carried` if
 *   the processor's minor unit is too large for the amount
 */
export async function openDisputeA(
  deps: Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>,
  asked: {
    readonly merchantAccount: string;
    readonly paymentReference: string;
    readonly state: DisputeStage;
    readonly amount?: number | undefined;
    readonly reason?: string | undefined;
  },
): Promise<OpenedDispute> {
  const { merchantAccount, paymentReference, state, reason } = asked;
  const charge = await findCharge(deps, merchantAccount, paymentReference);
  if (charge === undefined) return null;
  const amount = asked.amount ?? charge.amount;
  if (amount <= 0 || amount > charge.amount) return null;
  const value = upstreamValue(charge, amount);
  if (value === undefined) return 'amount_not_carried';
  const now = await deps.now(merchantAccount);
  const positions = [{ position: { state, status: firstStatus[state] }, at: now }];
  const afterDefence = defenceOf(state);
  return open(deps, merchantAccount, charge, { positions, afterDefence, value, reason }, now);
}

/** Opens the dispute that a directive asks for, a few seconds after the capture of the payment. */
export async function openDirectedDispute(
  deps: SandboxDependencies,
  merchantAccount: string,
  paymentReference: string,
  directive: DisputeDirective,
  now: Date,
): Promise<void> {
  const charge = await findCharge(deps, merchantAccount, paymentReference);
  if (charge === undefined) return;
  const { opens: state, next, goesOnAlone, share } = directive;
  const first = { state, status: firstStatus[state] };
  const opensAt = new Date(now.getTime() + disputeStepMs);
  const positions = spaced(goesOnAlone ? [first, ...next] : [first], opensAt, disputeStepMs);
  const unit = unitOf(charge);
  const half = Math.max(unit, Math.floor(charge.amount / 2 / unit) * unit);
  const value = (share === 'half' ? upstreamValue(charge, half) : undefined) ?? charge.value;
  await open(deps, merchantAccount, charge, { positions, afterDefence: next, value }, now);
}

/**
 * Moves a dispute as its issuer or scheme would, and plans the notification for now.
 *
 * @returns false if there is no such dispute, or if the upstream has no event (left) for the position
 */
export async function moveDisputeA(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  asked: {
    readonly merchantAccount: string;
    readonly upstreamId: string;
    readonly to: DisputePosition;
  },
): Promise<boolean> {
  const { merchantAccount, upstreamId, to } = asked;
  for (;;) {
    const found = await findDispute(deps.database, merchantAccount, upstreamId);
    if (found === null) return false;
    const now = await deps.now(merchantAccount);
    if (!canSend(found.dispute, now, to)) return false;
    const steps = redirected(found.dispute.steps, now, [{ position: to, at: now }]);
    if (await replaceDispute(deps.database, found, { ...found.dispute, steps })) return true;
  }
}
