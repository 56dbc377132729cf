import { captureFailsMs, reversalDirective } from '../../directives/capture-directives.ts';
import { lateTokenMs } from '../../directives/save-directives.ts';
import { notificationDelayMs } from '../../directives/webhook-directives.ts';
import { type Dispute, directedDispute } from '../model/dispute.ts';
import type { EventRow, NewInstrument } from '../model/instruments.ts';
import type { Order, Refund } from '../model/order.ts';
import { type RefundMove, refundMoves } from '../model/refund-status.ts';
import { instrumentOf } from '../model/saving.ts';
import { showAuthorization, showCapture, showOrder } from '../present/present.ts';
import { showRefund } from '../present/present-refund.ts';
import { showToken } from '../present/present-token.ts';
import { disputeEvents } from './dispute-events.ts';
import { type Delivery, deliveryOf, eventView, type Happening, planEvent, plannedId } from './events.ts';

/** The changes that are written together with a step of an order. */
export interface Effects {
  readonly kept: { readonly instrument: NewInstrument; readonly from: Date } | null;
  /** A token that can no longer be charged. */
  readonly retired: string | null;
  /** The dispute that the buyer will open about the captured money. */
  readonly dispute: Dispute | null;
  readonly events: readonly EventRow[];
  /** Ids of planned events that are no longer true. */
  readonly withdrawn: readonly string[];
}

function approved(before: Order | null, after: Order, at: Date): Happening[] {
  if (after.status !== 'APPROVED' || before?.status === 'APPROVED') return [];
  const key = `${after.id} ${after.approvedAt ?? ''}`;
  return [{ type: 'CHECKOUT.ORDER.APPROVED', key, resource: showOrder(after, eventView(at), false), at }];
}

function held(before: Order | null, after: Order, at: Date): Happening[] {
  const { authorization } = after;
  const former = before?.authorization;
  if (authorization === null) return [];
  if (authorization.id === former?.id && authorization.status === former.status) return [];
  const resource = showAuthorization(after, authorization, eventView(at));
  const happened = { key: authorization.id, resource, at };
  if (authorization.status === 'CREATED') return [{ type: 'PAYMENT.AUTHORIZATION.CREATED', ...happened }];
  return authorization.status === 'VOIDED' ? [{ type: 'PAYMENT.AUTHORIZATION.VOIDED', ...happened }] : [];
}

function captured(before: Order | null, after: Order, at: Date): Happening[] {
  const { capture } = after;
  if (capture === null || capture.id === before?.capture?.id) return [];
  const type = capture.status === 'COMPLETED' ? 'PAYMENT.CAPTURE.COMPLETED' : 'PAYMENT.CAPTURE.DECLINED';
  return [{ type, key: capture.id, resource: showCapture(after, capture, eventView(at)), at }];
}

/** The event of a capture that is reversed after it succeeded, if the directive asks for it. */
function reversals(after: Order, takenAt: Date): EventRow[] {
  const { capture, directive } = after;
  if (capture?.status !== 'COMPLETED' || directive !== reversalDirective.value) return [];
  const at = new Date(takenAt.getTime() + captureFailsMs);
  const resource = showCapture(after, capture, eventView(at));
  const happening = { type: 'PAYMENT.CAPTURE.REVERSED', key: capture.id, resource, at } as const;
  return [planEvent(after.merchantAccount, happening, { delayMs: 0, flaw: null })];
}

/**
 * Returns the events of refunds: those that a new refund causes by itself, or that of an outcome decided from
 * outside.
 */
function refunded(before: Order | null, after: Order, at: Date): RefundEvent[] {
  const earlier = new Map(before?.refunds.map((refund) => [refund.id, refund]));
  return after.refunds.flatMap((refund) => {
    const known = earlier.get(refund.id);
    if (known === undefined) {
      return refundMoves(refund).map((move) => ({
        refund,
        ...move,
        delayMs: move.at.getTime() > Date.parse(refund.createdAt) ? 0 : notificationDelayMs,
      }));
    }
    if (known.status === refund.status || refund.status === 'PENDING') return [];
    return [{ refund, status: refund.status, at, delayMs: 0 }];
  });
}

type RefundEvent = RefundMove & { readonly refund: Refund; readonly delayMs: number };

const refundEventTypes = { COMPLETED: 'PAYMENT.CAPTURE.REFUNDED', FAILED: 'PAYMENT.REFUND.FAILED' } as const;

function refundEvent(after: Order, { refund, status, at, delayMs }: RefundEvent): EventRow {
  const resource = showRefund(after, { ...refund, status }, eventView(at));
  return planEvent(
    after.merchantAccount,
    { type: refundEventTypes[status], key: refund.id, resource, at },
    { delayMs, flaw: null },
  );
}

/** Returns the ids of the events that were planned for refunds which were settled otherwise. */
function untrueEvents(before: Order | null, after: Order): string[] {
  const earlier = new Map(before?.refunds.map((refund) => [refund.id, refund.status]));
  const settled = after.refunds.filter(
    ({ id, status }) => earlier.get(id) === 'PENDING' && status !== 'PENDING',
  );
  return settled.flatMap((refund) => {
    const { status, id } = refund;
    const stays = refundMoves({ ...refund, status }).map((move) => move.status);
    const types = (['COMPLETED', 'FAILED'] as const).filter((one) => one !== status && !stays.includes(one));
    return types.map((type) => plannedId(after.merchantAccount, refundEventTypes[type], id));
  });
}

/** Returns the instrument that the vault stores with this change, and the time from which it exists. */
function keptNow(before: Order | null, after: Order, at: Date): Effects['kept'] {
  if (after.vaulted === null || (before?.vaulted ?? null) !== null) return null;
  const instrument = instrumentOf(after);
  if (instrument === null) return null;
  const waits = after.vaulted.announced ? 0 : lateTokenMs;
  return { instrument, from: new Date(at.getTime() + waits) };
}

function tokenEvent({ instrument, from }: NonNullable<Effects['kept']>, after: Order): EventRow {
  const delivery = deliveryOf(after.directive);
  const resource = { ...showToken(instrument, eventView(from)), metadata: { order_id: after.id } };
  const late: Delivery = { ...delivery, delayMs: 0 };
  return planEvent(
    after.merchantAccount,
    { type: 'VAULT.PAYMENT-TOKEN.CREATED', key: instrument.token, resource, at: from },
    after.vaulted?.announced === false ? late : delivery,
  );
}

/** Returns the token whose holder ended all later charges in this very payment. */
function retiredBy({ stored, capture, authorization }: Order): string | null {
  const response = capture?.processorResponse ?? authorization?.processorResponse;
  return stored !== null && response?.payment_advice_code === '21' ? stored.token : null;
}

/**
 * Determines the effects of an order's step.
 * @param before null for a new order
 */
export function effectsOf(before: Order | null, after: Order, at: Date): Effects {
  const kept = keptNow(before, after, at);
  const happened = [
    ...approved(before, after, at),
    ...held(before, after, at),
    ...captured(before, after, at),
  ];
  const delivery = deliveryOf(after.directive);
  const planned = happened.map((happening) => planEvent(after.merchantAccount, happening, delivery));
  const taken = after.capture !== null && after.capture.id !== before?.capture?.id;
  const dispute = taken ? directedDispute(after, at) : null;
  return {
    kept,
    retired: retiredBy(after),
    dispute,
    events: [
      ...planned,
      ...(taken ? reversals(after, at) : []),
      ...(kept === null ? [] : [tokenEvent(kept, after)]),
      ...refunded(before, after, at).map((event) => refundEvent(after, event)),
      ...(dispute === null ? [] : disputeEvents(null, dispute)),
    ],
    withdrawn: untrueEvents(before, after),
  };
}
