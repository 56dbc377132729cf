import { showFault } from '../../directives/faults.ts';
import {
  findRefundDirective,
  type RefundBehaviour,
  refundReversesMs,
  refundSettlesMs,
} from '../../directives/refund-directives.ts';
import { unbatched } from '../../lib/batch.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson, objectIn } from '../../lib/json.ts';
import { fromAdyenUnits } from '../../lib/money.ts';
import { randomReference } from '../../lib/random.ts';
import type { WireResponse } from '../../lib/wire.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import { derivedReference } from '../authorisation/derived-reference.ts';
import { invalid, ServiceRefusal, serverError, serviceErrorBody } from '../authorisation/errors.ts';
import { planned } from '../notifications/notification-items.ts';
import { failedLater, type KeptRefund, refundEvent, reversedEvent } from '../notifications/refund-events.ts';
import { type AnsweredRow, answerOf, type Call, isDueNow } from '../payments/call.ts';
import type { RefundColumns, RequestStore } from '../store/store.ts';

interface RefundablePayment {
  readonly reference: string;
  /** In the merchant's minor units. */
  readonly captured: number;
  readonly currency: string;
  /** The amount of all refunds that succeeded or are pending. */
  readonly refunded: number;
  /** Number of refunds, including failed ones. */
  readonly refunds: number;
}

const readSql = `
select asked.n, c.reference, c.amount, c.currency, c.status, count(r.upstream_id) as refunds,
  coalesce(sum(r.amount) filter (where r.status <> 'failed'), 0) as refunded
from json_to_recordset($1::json) as asked (n integer, merchant_account text, psp_reference text)
join sandbox.charges c on c.merchant_account = asked.merchant_account and c.psp_reference = asked.psp_reference
left join sandbox.refunds r on r.merchant_account = c.merchant_account and r.payment_reference = c.reference
  and r.received->>'paymentPspReference' = c.psp_reference
group by asked.n, c.merchant_account, c.reference, c.psp_reference`;

interface NamedPayment {
  readonly merchant_account: string;
  readonly psp_reference: string;
}

async function readPayments(
  database: SandboxDatabase,
  named: readonly NamedPayment[],
): Promise<readonly (RefundablePayment | undefined)[]> {
  const { rows } = await database.query(readSql, [databaseJson(named.map((name, n) => ({ n, ...name })))]);
  const read = new Map(rows.map(columnsOf).map((row) => [row.n, row]));
  return named.map((_, n) => {
    const row = read.get(n);
    if (row?.status !== 'captured') return undefined;
    return {
      reference: String(row.reference),
      captured: Number(row.amount),
      currency: String(row.currency),
      refunded: Number(row.refunded),
      refunds: Number(row.refunds),
    };
  });
}

/**
 * Reads the directive of a refund. Adyen's refund requests have no free text field for the merchant, so the
 * directive is sent as the name of the merchant's application.
 */
function directiveIn({ body }: Call) {
  const { name } = objectIn(objectIn(body, 'applicationInfo'), 'merchantApplication');
  return typeof name === 'string' ? findRefundDirective(name, 'processor_a') : undefined;
}

interface ReadRefund {
  readonly columns: RefundColumns;
  readonly kept: KeptRefund;
}

/**
 * Reads a refund and checks it against the refundable rest (Adyen Checkout API v71, PaymentRefundRequest).
 * @throws ServiceRefusal if it is not possible
 */
function readRefund(call: Call, pspReference: string, payment: RefundablePayment | undefined): ReadRefund {
  // Adyen docs, "Error codes and messages".
  if (payment === undefined) throw invalid('167', 'Original pspReference required for this operation');
  const { value, currency } = objectIn(call.body, 'amount');
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw invalid('137', 'Invalid amount specified');
  }
  if (currency !== payment.currency) throw invalid('138', 'Unsupported currency specified');
  const minor = fromAdyenUnits(value, payment.currency);
  if (minor === undefined || minor > payment.captured - payment.refunded) {
    throw invalid('137', 'Invalid amount specified');
  }
  const { reference } = call.body;
  if (reference !== undefined && (typeof reference !== 'string' || reference.length > 80)) {
    throw invalid('14_018', 'Invalid payload provided');
  }
  const upstreamId = derivedReference(call.merchantAccount, pspReference, 'refund', payment.refunds);
  const amount = { currency: payment.currency, value };
  const kept = { ...call.body, paymentPspReference: pspReference };
  return {
    columns: {
      refund_reference: reference ?? '',
      payment_reference: payment.reference,
      upstream_id: upstreamId,
      amount: minor,
      currency: payment.currency,
      received: kept,
    },
    kept: { upstreamId, reference: reference ?? '', paymentPspReference: pspReference, amount },
  };
}

function notificationsOf(
  merchantAccount: string,
  refund: KeptRefund,
  does: RefundBehaviour | undefined,
  now: Date,
): PlannedNotification[] {
  if (does === 'stays_pending') return [];
  const after = (ms: number) => new Date(now.getTime() + ms);
  const settlesAt = after(refundSettlesMs);
  const failure = does === 'fails_later' ? failedLater : undefined;
  const settled = planned(refundEvent(refund, failure), { merchantAccount, at: settlesAt, dueAt: settlesAt });
  if (does !== 'reversed') return [settled];
  const at = after(refundSettlesMs + refundReversesMs);
  return [settled, planned(reversedEvent(refund), { merchantAccount, at, dueAt: at })];
}

/** Decides the response and effects of a refund, which apply if its key is free. */
function decide(
  deps: SandboxDependencies,
  call: Call,
  pspReference: string,
  payment: RefundablePayment | undefined,
  now: Date,
): AnsweredRow {
  const { merchantAccount, body } = call;
  const owner = randomReference(deps.randomBytes(16));
  const row = {
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: owner,
    at: now.toISOString(),
  };
  const does = directiveIn(call)?.does;
  try {
    if (does === 'refused') throw invalid('167', 'Original pspReference required for this operation');
    const { columns, kept } = readRefund(call, pspReference, payment);
    const { merchantRefundReason } = body;
    const answer = {
      merchantAccount,
      paymentPspReference: pspReference,
      pspReference: kept.upstreamId,
      ...(typeof body.reference === 'string' ? { reference: body.reference } : {}),
      ...(typeof merchantRefundReason === 'string' ? { merchantRefundReason } : {}),
      amount: kept.amount,
      status: 'received',
    };
    const notifications = notificationsOf(merchantAccount, kept, does, now);
    return { ...row, ...columns, notifications, status: 201, body: JSON.stringify(answer) };
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    return { ...row, status: error.status, body: serviceErrorBody(error, owner) };
  }
}

/**
 * `POST /payments/{paymentPspReference}/refunds` (Adyen Checkout API v71): a notification reports the
 * outcome.
 */
export function createRefund(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  const { batch = unbatched, database } = deps;
  const readPayment = batch((named: readonly NamedPayment[]) => readPayments(database, named));
  return async (call, pspReference) => {
    const { merchantAccount } = call;
    const now = await deps.now(merchantAccount);
    const breakdown = directiveIn(call)?.breakdown;
    if (breakdown !== undefined && (await isDueNow(deps, call, now))) {
      return showFault(breakdown, deps, call.signal, serverError);
    }
    for (;;) {
      const payment = await readPayment({ merchant_account: merchantAccount, psp_reference: pspReference });
      const row = decide(deps, call, pspReference, payment, now);
      const settled = await store.refund(row);
      // A concurrent refund left less to give back, so this one is decided again.
      if (settled.kind !== 'stale') return answerOf(row, settled);
    }
  };
}
