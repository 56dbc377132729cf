import type { NotificationEffect } from '../../port/notifications.ts';
import type { NoAnswer, UpstreamIds } from '../../port/port.ts';
import { isNoAnswer, notExecuted } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import { readDispute } from '../disputes/dispute-facts.ts';
import { refundStatus } from '../modifications/refund.ts';
import { instrumentOf } from '../saved-methods/vaulting.ts';
import { fromMoney } from '../wire/money.ts';
import type { Session } from '../wire/session.ts';

type Interpretation =
  | { readonly kind: 'interpreted'; readonly effects: readonly NotificationEffect[] }
  | NoAnswer;

/** Interprets a verified event (PayPal docs, "Webhook event names"). */
export async function interpretNotification(session: Session, body: unknown): Promise<Interpretation> {
  const event = jsonObject(body);
  const type = jsonText(event, 'event_type') ?? '';
  const resource = jsonObject(event.resource);
  const meaning = meanings.get(type);
  return meaning === undefined ? none : meaning(session, resource);
}

const interpreted = (effects: readonly NotificationEffect[]): Interpretation => ({
  kind: 'interpreted',
  effects: effects.length === 0 ? [{ kind: 'none' }] : effects,
});
const only = (effect: NotificationEffect): Interpretation => interpreted([effect]);
const none = interpreted([]);

type Meaning = (session: Session, resource: JsonObject) => Interpretation | Promise<Interpretation>;

/**
 * The events that have an effect. An approval has none: only the merchant's own confirmation charges. Outcomes of captures
 * and authorizations are looked up, because events arrive late and out of order.
 */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['CHECKOUT.ORDER.COMPLETED', (_, resource) => paymentChanged(resource, 'order')],
  ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', (_, resource) => paymentChanged(resource, 'order')],
  ['PAYMENT.AUTHORIZATION.CREATED', (_, resource) => paymentChanged(resource, 'authorization')],
  ['PAYMENT.AUTHORIZATION.VOIDED', (_, resource) => paymentChanged(resource, 'authorization')],
  ['PAYMENT.CAPTURE.COMPLETED', (_, resource) => paymentChanged(resource, 'capture')],
  ['PAYMENT.CAPTURE.DECLINED', (_, resource) => captureFailed(resource)],
  ['PAYMENT.CAPTURE.DENIED', (_, resource) => captureFailed(resource)],
  ['PAYMENT.CAPTURE.REVERSED', (_, resource) => interpreted(alertsOf(resource, 'capture_reversed'))],
  ['PAYMENT.CAPTURE.REFUNDED', (_, resource) => refundSettled(resource)],
  ['PAYMENT.REFUND.FAILED', (_, resource) => refundSettled({ ...resource, status: 'FAILED' })],
  ['VAULT.PAYMENT-TOKEN.CREATED', (_, resource) => instrumentSaved(resource)],
  ['VAULT.PAYMENT-TOKEN.DELETED', (_, resource) => instrumentRemoved(resource)],
  ['VAULT.PAYMENT-TOKEN.DELETION-INITIATED', (_, resource) => instrumentRemoved(resource)],
  ['CUSTOMER.DISPUTE.CREATED', (session, resource) => disputeChanged(session, resource)],
  ['CUSTOMER.DISPUTE.UPDATED', (session, resource) => disputeChanged(session, resource)],
  ['CUSTOMER.DISPUTE.RESOLVED', (session, resource) => disputeChanged(session, resource)],
]);

/** Finds our id in a resource, or in the purchase unit of an order. A refund made outside Till repeats the payment's id. */
function ownId(resource: JsonObject, pattern: RegExp): string | null {
  const unit = jsonObjects(resource, 'purchase_units')[0] ?? {};
  const names = [resource, unit].flatMap((object) => [
    jsonText(object, 'custom_id'),
    jsonText(object, 'invoice_id'),
  ]);
  return names.find((name) => name !== null && pattern.test(name)) ?? null;
}

const paymentPattern = /^pay_[0-9a-z]{1,60}$/;
const refundPattern = /^re_[0-9a-z]{1,60}$/;

/** @param is the kind of the resource */
function paymentChanged(resource: JsonObject, is: 'order' | 'authorization' | 'capture'): Interpretation {
  const paymentId = ownId(resource, paymentPattern);
  if (paymentId === null) return none;
  // An event about a lapsed approval has the order's id in this member.
  const id = jsonText(resource, 'id') ?? (is === 'order' ? jsonText(resource, 'order_id') : null);
  const payment = { ...relatedIds(resource), ...(id === null ? {} : { [is]: id }) };
  return only({ kind: 'payment_changed', paymentId, payment });
}

/** The payment may still wait for the outcome of its capture, or be recorded as succeeded already. */
function captureFailed(resource: JsonObject): Interpretation {
  const changed = paymentChanged(resource, 'capture');
  return 'effects' in changed && changed !== none
    ? interpreted([...changed.effects, ...alertsOf(resource, 'capture_failed')])
    : changed;
}

/** Alerts about a capture, for a payment that the capture settled. A reversal may be notified as the refund that it is. */
function alertsOf(
  resource: JsonObject,
  alert: Extract<NotificationEffect, { kind: 'payment_alert' }>['alert'],
): NotificationEffect[] {
  const { capture: linked, ...related } = relatedIds(resource);
  const paymentId = ownId(resource, paymentPattern);
  const own = jsonText(resource, 'id') ?? undefined;
  // A reversal may have an id of its own; then a link points to its capture.
  const capture = alert === 'capture_failed' ? own : (linked ?? (paymentId === null ? own : undefined));
  if (paymentId === null && capture === undefined) return [];
  const payment = { ...related, ...(capture === undefined ? {} : { capture }) };
  const taken = alert === 'capture_reversed' ? fromMoney(resource.amount) : undefined;
  return [{ kind: 'payment_alert', alert, paymentId, payment, ...(taken === undefined ? {} : { taken }) }];
}

function refundSettled(resource: JsonObject): Interpretation {
  const upstreamId = jsonText(resource, 'id');
  const money = fromMoney(resource.amount);
  const status = refundStatus(resource);
  if (status === 'pending') return none;
  if (upstreamId === null || money === undefined || status === 'unknown') {
    return notExecuted('provider_error', 'malformed notification');
  }
  return only({
    kind: 'refund_settled',
    refundId: ownId(resource, refundPattern),
    upstreamId,
    paymentId: ownId(resource, paymentPattern),
    payment: relatedIds(resource),
    ...money,
    outcome: status,
  });
}

/** The upstream's ids of the payment that a resource belongs to. A refund also has a link to its capture. */
function relatedIds(resource: JsonObject): UpstreamIds {
  const related = jsonObject(jsonObject(resource.supplementary_data).related_ids);
  const up = jsonObjects(resource, 'links').find(({ rel }) => rel === 'up');
  const linked = /\/captures\/([A-Z0-9]{1,36})$/.exec((up && jsonText(up, 'href')) ?? '')?.[1] ?? null;
  const order = jsonText(related, 'order_id');
  const authorization = jsonText(related, 'authorization_id');
  const capture = jsonText(related, 'capture_id') ?? linked;
  return {
    ...(order === null ? {} : { order }),
    ...(authorization === null ? {} : { authorization }),
    ...(capture === null ? {} : { capture }),
  };
}

function instrumentSaved(resource: JsonObject): Interpretation {
  const saved = instrumentOf(resource);
  const order = jsonText(jsonObject(resource.metadata), 'order_id');
  return saved === null || order === null
    ? none
    : only({ kind: 'instrument_saved', paymentId: null, payment: { order }, saved });
}

function instrumentRemoved(resource: JsonObject): Interpretation {
  const removed = instrumentOf(resource);
  return removed === null ? none : only({ kind: 'instrument_removed', token: removed.token });
}

/** Dispute events may contain old states, so the dispute's current state is read. */
async function disputeChanged(session: Session, resource: JsonObject): Promise<Interpretation> {
  const id = jsonText(resource, 'dispute_id');
  if (id === null) return none;
  const dispute = await readDispute(session, id);
  return isNoAnswer(dispute) ? dispute : only({ kind: 'dispute', facts: dispute.facts });
}
