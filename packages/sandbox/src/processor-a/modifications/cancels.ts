import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import type { WireResponse } from '../../lib/wire.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import { invalid } from '../authorisation/errors.ts';
import { type NotificationEvent, planned, type UpstreamAmount } from '../notifications/notification-items.ts';
import { type AnsweredRow, answerOf, type Call } from '../payments/call.ts';
import { type ChargeColumns, type NamedPayment, namesOf, type RequestStore } from '../store/store.ts';

interface FoundPayment {
  readonly pspReference: string;
  readonly reference: string;
  readonly amount: UpstreamAmount;
  readonly captured: boolean;
}

// Captured charges come first: if a reference occurs twice, one captured charge suffices to refuse the
// cancellation.
const findSql = `
select psp_reference, reference, received->'amount' as amount, status = 'captured' as captured, created_at
from sandbox.charges
where merchant_account = $1 and (reference = $2 or psp_reference = $3)
union all
select psp_reference, reference, payment->'received'->'amount', false, created_at from sandbox.challenges
where merchant_account = $1 and (reference = $2 or psp_reference = $3)
order by captured desc, created_at, psp_reference limit 1`;

async function findPayment(
  { database }: SandboxDependencies,
  merchantAccount: string,
  payment: NamedPayment,
): Promise<FoundPayment | undefined> {
  const { rows } = await database.query(findSql, [merchantAccount, ...namesOf(payment)]);
  if (rows.length === 0) return undefined;
  const row = columnsOf(rows[0]);
  return {
    pspReference: String(row.psp_reference),
    reference: String(row.reference),
    amount: row.amount as UpstreamAmount,
    captured: row.captured === true,
  };
}

type Verdict = Pick<NotificationEvent, 'success' | 'reason' | 'additionalData'>;

const done: Verdict = { success: true, reason: '', additionalData: {} };
const notFound: Verdict = { success: false, reason: 'Transaction not found', additionalData: {} };
const tooLate: Verdict = {
  success: false,
  reason: 'Transaction has already been captured',
  additionalData: {},
};

/** One way to undo a payment: the charge states that it ends, and what its notification says. */
interface Modification {
  readonly eventCode: 'TECHNICAL_CANCEL' | 'CANCELLATION' | 'CANCEL_OR_REFUND';
  readonly ends: readonly ChargeColumns['charge_status'][];
  readonly verdict: (found: FoundPayment | undefined) => Verdict;
}

/**
 * Cancels by the merchant's reference. Succeeds even if there is no such payment, since then nothing is
 * authorised.
 */
const technicalCancel: Modification = {
  eventCode: 'TECHNICAL_CANCEL',
  ends: ['authorized'],
  verdict: (found) => (found?.captured === true ? tooLate : done),
};

const cancellation: Modification = {
  eventCode: 'CANCELLATION',
  ends: ['authorized'],
  verdict: (found) => (found === undefined ? notFound : technicalCancel.verdict(found)),
};

/** Repeats its answer for a payment that was already undone, since nothing of that payment is left. */
const reversal: Modification = {
  eventCode: 'CANCEL_OR_REFUND',
  ends: ['authorized', 'captured'],
  verdict: (found) =>
    found === undefined
      ? notFound
      : { ...done, additionalData: { 'modification.action': found.captured ? 'refund' : 'cancel' } },
};

/** Builds the notification of a modification. */
function modificationNotification(
  { body, merchantAccount }: Call,
  { eventCode, verdict }: Modification,
  pspReference: string,
  payment: NamedPayment,
  found: FoundPayment | undefined,
  at: Date,
): PlannedNotification {
  const [ours, theirs] = namesOf(payment);
  const originalReference = found?.pspReference ?? theirs;
  return planned(
    {
      ...verdict(found),
      eventCode,
      pspReference,
      ...(originalReference === null ? {} : { originalReference }),
      merchantReference:
        typeof body.reference === 'string' ? body.reference : (ours ?? found?.reference ?? ''),
      amount: found?.amount ?? { currency: 'EUR', value: 0 },
    },
    { merchantAccount, at },
  );
}

async function modify(
  deps: SandboxDependencies,
  store: RequestStore,
  modification: Modification,
  call: Call,
  payment: NamedPayment,
): Promise<WireResponse> {
  const { merchantAccount, body } = call;
  const pspReference = randomReference(deps.randomBytes(16));
  const now = await deps.now(merchantAccount);
  // Comes before the search for the payment, so that a challenge completed just now is found as the charge
  // that it became.
  await store.stopChallenges(merchantAccount, payment);
  const found = await findPayment(deps, merchantAccount, payment);
  const row: AnsweredRow = {
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: pspReference,
    at: now.toISOString(),
    status: 201,
    body: JSON.stringify({
      merchantAccount,
      ...('reference' in payment
        ? { paymentReference: payment.reference }
        : { paymentPspReference: payment.pspReference }),
      pspReference,
      ...(typeof body.reference === 'string' ? { reference: body.reference } : {}),
      status: 'received',
    }),
    notifications: [modificationNotification(call, modification, pspReference, payment, found, now)],
  };
  return answerOf(row, await store.cancel(row, payment, modification.ends));
}

/**
 * `POST /cancels` (Adyen Checkout API v71): cancels an uncaptured payment by the merchant's reference,
 * whether or not such a payment exists.
 */
export function createTechnicalCancel(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call) => Promise<WireResponse> {
  return async (call) => {
    const { paymentReference } = call.body;
    if (typeof paymentReference !== 'string' || paymentReference === '') {
      throw invalid('130', 'Reference Missing');
    }
    return modify(deps, store, technicalCancel, call, { reference: paymentReference });
  };
}

/** `POST /payments/{paymentPspReference}/cancels` (Adyen Checkout API v71): cancels an uncaptured payment. */
export function createCancel(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  return (call, pspReference) => modify(deps, store, cancellation, call, { pspReference });
}

/**
 * `POST /payments/{paymentPspReference}/reversals` (Adyen Checkout API v71): cancels a payment if it is not
 * captured, and refunds it in full otherwise.
 */
export function createReversal(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  return (call, pspReference) => modify(deps, store, reversal, call, { pspReference });
}
