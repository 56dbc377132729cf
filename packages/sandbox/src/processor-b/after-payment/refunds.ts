import { findRefundDirective } from '../../directives/refund-directives.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, type JsonObject } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, changeOrder, keyOf, respondAgain, respondFresh, type Tools } from '../call/call.ts';
import { execute, type FaultOccasion } from '../call/execution.ts';
import { moneyOf, readMoney } from '../model/amounts.ts';
import type { Capture, Order, Refund } from '../model/order.ts';
import { refundBehaviour, refundedAmount, refundStatus } from '../model/refund-status.ts';
import { minimalPayment } from '../present/present.ts';
import { showRefund } from '../present/present-refund.ts';
import { createOrderStore } from '../store/store.ts';
import { unknownResource, unprocessable } from '../wire/errors.ts';
import { optionalText } from '../wire/fields.ts';
import { paymentRetentionMs } from './holds.ts';

function takenCapture(order: Order): Capture {
  const { capture } = order;
  if (capture === null) throw unknownResource();
  if (capture.status !== 'COMPLETED') throw unprocessable('REFUND_NOT_ALLOWED');
  return capture;
}

/** Reads the amount to refund. Default: everything that is not refunded yet. */
function readAmount(body: JsonObject, order: Order, capture: Capture, now: Date) {
  const left = capture.minorAmount - refundedAmount(order, now, 'PENDING', 'COMPLETED');
  const { currency_code } = capture.amount;
  if (body.amount === undefined || body.amount === null) {
    if (left === 0) throw unprocessable('CAPTURE_FULLY_REFUNDED');
    return { amount: moneyOf(left, currency_code), minorAmount: left };
  }
  const { money, minor } = readMoney(body.amount, '/amount');
  if (minor === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', '/amount/value');
  if (money.currency_code !== currency_code) throw unprocessable('REFUND_CAPTURE_CURRENCY_MISMATCH');
  if (left === 0) throw unprocessable('CAPTURE_FULLY_REFUNDED');
  if (minor > left) throw unprocessable('REFUND_AMOUNT_EXCEEDED', '/amount/value');
  return { amount: money, minorAmount: minor };
}

function readTexts(body: JsonObject) {
  return {
    customId: optionalText(body.custom_id, '/custom_id', 127),
    invoiceId: optionalText(body.invoice_id, '/invoice_id', 127),
    note: optionalText(body.note_to_payer, '/note_to_payer', 255),
  };
}

function newRefund(order: Order, call: Call, id: string): Refund {
  const capture = takenCapture(order);
  const { customId, invoiceId, note } = readTexts(call.body);
  const amount = readAmount(call.body, order, capture, call.now);
  if (invoiceId !== null && order.refunds.some((refund) => refund.invoiceId === invoiceId)) {
    throw unprocessable('DUPLICATE_INVOICE_ID', '/invoice_id');
  }
  if (refundBehaviour(note) === 'refused') throw unprocessable('REFUND_NOT_ALLOWED');
  return {
    id,
    reference: customId ?? id,
    invoiceId,
    note,
    ...amount,
    createdAt: call.now.toISOString(),
    status: 'PENDING',
    received: { ...call.body, capture_id: capture.id },
  };
}

/** The fault that a note asks for. It affects the first attempt with a request id. */
function faultOccasionOf({ body, requestId }: Call, captureId: string): FaultOccasion {
  const note = typeof body.note_to_payer === 'string' ? body.note_to_payer : '';
  const directive = findRefundDirective(note, 'processor_b');
  const breakdown = directive?.breakdown;
  return {
    fault:
      directive === undefined || breakdown === undefined
        ? undefined
        : { ...directive, ...breakdown, strikes: 'lost' },
    occasion: `refund:${captureId}:${requestId ?? ''}`,
  };
}

/** `POST /v2/payments/captures/{id}/refund`. */
export async function refundCapture(tools: Tools, call: Call, captureId: string): Promise<WireResponse> {
  const key = keyOf(tools, call, 'refund', paymentRetentionMs);
  const id = randomReference(tools.deps.randomBytes(17));
  return execute(tools, call, key, faultOccasionOf(call, captureId), async () => {
    const { answer, fresh } = await changeOrder(tools, key, 'capture_id', captureId, (order) => {
      const refund = newRefund(order, call, id);
      const next = { ...order, refunds: [...order.refunds, refund] };
      const body = showRefund(next, refund, call.view);
      return {
        order: next,
        answer: { status: 201, body: JSON.stringify(call.minimal ? minimalPayment(body) : body) },
      };
    });
    const response = fresh === null ? respondAgain(tools, answer) : respondFresh(tools, answer);
    return { response, fresh: fresh !== null };
  });
}

interface Place {
  readonly captureId: string;
  readonly refundId: string;
}

/**
 * Finds the capture of a refund by PayPal's or the merchant's id of the refund. Returns null if it is
 * unknown.
 */
async function findPlace(
  database: SandboxDatabase,
  merchantAccount: string,
  by: 'upstream_id' | 'reference',
  value: string,
): Promise<Place | null> {
  const { rows } = await database.query(
    `select upstream_id, received ->> 'capture_id' as capture_id from sandbox.refunds
     where merchant_account = $1 and ${by} = $2 and received ? 'capture_id'
     order by created_at desc limit 1`,
    [merchantAccount, value],
  );
  if (rows.length === 0) return null;
  const { upstream_id, capture_id } = columnsOf(rows[0]);
  return { captureId: String(capture_id), refundId: String(upstream_id) };
}

/** `GET /v2/payments/refunds/{id}`. */
export async function getRefund(tools: Tools, call: Call, refundId: string): Promise<WireResponse> {
  const place = await findPlace(tools.deps.database, call.merchantAccount, 'upstream_id', refundId);
  if (place === null) throw unknownResource();
  const { order } = await tools.store.find(keyOf(tools, call, 'read', 0), 'capture_id', place.captureId);
  const refund = order?.refunds.find(({ id }) => id === refundId);
  if (order === null || refund === undefined) throw unknownResource();
  return respondFresh(tools, { status: 200, body: JSON.stringify(showRefund(order, refund, call.view)) });
}

/**
 * Settles a pending refund, as the bank behind the upstream would, and plans its event at once. Replaces the
 * events planned for another outcome.
 * @param refundReference the merchant's own id of the refund
 * @returns false if no such refund is pending
 */
export async function settleRefundB(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  merchantAccount: string,
  refundReference: string,
  outcome: 'succeeded' | 'failed',
): Promise<boolean> {
  const place = await findPlace(deps.database, merchantAccount, 'reference', refundReference);
  if (place === null) return false;
  const store = createOrderStore(deps);
  const status: Refund['status'] = outcome === 'succeeded' ? 'COMPLETED' : 'FAILED';
  for (;;) {
    const now = await deps.now(merchantAccount);
    const { order, version } = await store.find(
      {
        merchantAccount,
        operation: 'settle',
        requestId: null,
        owner: refundReference,
        at: now,
        retentionMs: 0,
      },
      'capture_id',
      place.captureId,
    );
    const refund = order?.refunds.find(({ id }) => id === place.refundId);
    if (order === null || refund === undefined || refundStatus(refund, now) !== 'PENDING') return false;
    const refunds = order.refunds.map((one) => (one === refund ? { ...one, status } : one));
    if (await store.change({ order, version }, { ...order, refunds }, now)) return true;
  }
}
