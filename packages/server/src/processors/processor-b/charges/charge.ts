import type { ChargeOutcome, ChargeRequest, NoAnswer } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import { jsonText } from '../../wire/json.ts';
import { declinedOrder, type Order, orderFacts, readOrder } from '../orders/order.ts';
import { metadataId, orderRequest } from '../orders/order-request.ts';
import { finalFailure } from '../orders/three-d-secure.ts';
import { isOffSession, paysByWallet } from '../saved-methods/vaulting.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import {
  blamedAddresses,
  blamedField,
  blames,
  declineOf,
  faultOf,
  instrumentGoneIssues,
  isSuccess,
  notSavedIssues,
} from '../wire/issues.ts';
import type { Reply, Session } from '../wire/session.ts';
import { completeOrder, settledOrder } from './complete.ts';
import { sendTransactionContext } from './transaction-context.ts';

/**
 * Creates the order. A typed or saved card and a saved wallet are charged at once. Retries without an address that the
 * upstream refuses, and without saving if the upstream cannot save and the merchant does not require it (PayPal REST Orders
 * v2, "Create order"). If the request's key is that of such a modified copy, it starts with that copy.
 */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  // A request without its card only asks what happened under its key.
  const refused =
    request.instrument.kind === 'withheld' ? undefined : await sendTransactionContext(session, request);
  if (refused !== undefined) {
    return request.isRepeat === true ? outcomeOfFirst(session, asUnderKey(request), refused) : refused;
  }
  let sent = asUnderKey(request);
  let { reply, duplicate } = await createOrder(session, sent);
  for (let bare = reducedCharge(reply, sent); bare !== undefined; bare = reducedCharge(reply, sent)) {
    if (request.isRepeat === true && sent.upstreamKey === request.upstreamKey) {
      const refusal = await creationOutcome(session, reply, sent);
      const first = await outcomeOfFirst(session, sent, refusal);
      if (first !== refusal) return first;
    }
    sent = bare;
    if ((await sent.commitKey?.(sent.upstreamKey)) === false) {
      return unknown('provider_unavailable', 'resumed by another request');
    }
    const next = await createOrder(session, sent);
    reply = next.reply;
    duplicate ||= next.duplicate;
  }
  const outcome = await creationOutcome(session, reply, sent);
  const isRefused = (outcome.kind === 'declined' || outcome.kind === 'cannot_save') && !isDone(reply);
  if (isRefused && request.isRepeat === true) return outcomeOfFirst(session, sent, outcome);
  return duplicate ? asUnknown(outcome) : outcome;
}

/**
 * After the refusal of a repeat, finds out what the first request under its key did. The upstream may refuse a request before
 * it looks the key up, for example if the saved card was removed since.
 * @returns the refusal if nothing was carried out
 */
async function outcomeOfFirst(
  session: Session,
  request: ChargeRequest,
  refusal: ChargeOutcome,
): Promise<ChargeOutcome> {
  const { instrument } = request;
  const initiator = instrument.kind === 'stored' ? instrument.initiator : 'customer';
  const method = paysByWallet(instrument) ? 'wallet' : 'card';
  const withheld = { ...request, instrument: { kind: 'withheld', method, initiator } } as const;
  const { reply } = await createOrder(session, withheld);
  // A refusal that is the same without the card is the upstream's stored response to the first request.
  const first = await creationOutcome(session, reply, isDone(reply) ? withheld : request);
  const isRefused =
    first.kind === 'declined' || first.kind === 'cannot_save' || reducedCharge(reply, request) !== undefined;
  const nothingDone = first.kind === 'not_carried_out' || (isRefused && !isDone(reply));
  return nothingDone ? refusal : asUnknown(first);
}

const isDone = (reply: Reply) => !isNoAnswer(reply) && isSuccess(reply);

async function createOrder(session: Session, request: ChargeRequest) {
  // Without the card only the key matters, so everything else that the upstream could refuse before looking the key up is left
  // out.
  const isAsking = request.instrument.kind === 'withheld';
  const bare = { ...request, billingAddress: null, deliveryAddress: null, save: null };
  const body = orderRequest(isAsking ? bare : request);
  return body === undefined
    ? { reply: notExecuted('provider_error', 'amount not supported'), duplicate: false }
    : session.send({
        path: '/v2/checkout/orders',
        key: request.upstreamKey,
        metadataId: metadataId(request.riskSession),
        body,
      });
}

/** What a modified copy of a charge leaves out, by the suffix of its key. */
const copies = {
  a: { billingAddress: null, deliveryAddress: null },
  b: { billingAddress: null },
  d: { deliveryAddress: null },
  s: { save: null },
} as const;

type Copy = keyof typeof copies;

const copyOf = (request: ChargeRequest, copy: Copy): ChargeRequest => ({
  ...request,
  ...copies[copy],
  upstreamKey: suffixedKey(request.upstreamKey, `:${copy}`),
});

/**
 * Restores the request that belongs to its key: a repeat of a modified copy leaves out what that copy left out. The upstream
 * could refuse any other body before it looks the key up, and the copy sent after that would charge a second time.
 */
function asUnderKey(request: ChargeRequest): ChargeRequest {
  const [, , ...made] = request.upstreamKey.split(':');
  const applied = made.filter((part): part is Copy => Object.hasOwn(copies, part));
  return Object.assign({ ...request }, ...applied.map((part) => copies[part]));
}

/**
 * The charge without the part that the upstream refused, under a key of its own; undefined if there is nothing to leave out.
 */
function reducedCharge(reply: Reply, request: ChargeRequest): ChargeRequest | undefined {
  if (isNoAnswer(reply)) return undefined;
  const { billing, delivery } = blamedAddresses(reply);
  const dropsBilling = billing && request.billingAddress !== null;
  const dropsDelivery = delivery && request.deliveryAddress !== null;
  if (dropsBilling || dropsDelivery) {
    return copyOf(request, dropsBilling && dropsDelivery ? 'a' : dropsBilling ? 'b' : 'd');
  }
  return request.save?.required === false && blames(reply, notSavedIssues) ? copyOf(request, 's') : undefined;
}

async function creationOutcome(
  session: Session,
  reply: Reply,
  request: ChargeRequest,
): Promise<ChargeOutcome> {
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return refusedOutcome(reply, request);
  const read = readOrder(reply.body, request);
  if (isNoAnswer(read)) return read;
  // The response to a charge of a saved instrument repeats its token, which is not a new save.
  const order = request.save === null ? { ...read, saved: null } : read;
  const expected = { ...request, offSession: isOffSession(request.instrument) };
  switch (order.status) {
    case 'COMPLETED':
      return withOrder(settledOrder(order, expected), order);
    case 'VOIDED':
      return declinedOrder(order, 'not_processed');
    default:
      return openOutcome(session, order, expected);
  }
}

function refusedOutcome(answer: UpstreamAnswer, request: ChargeRequest): ChargeOutcome {
  if (request.save !== null && blames(answer, notSavedIssues)) {
    return { kind: 'cannot_save', facts: idsOnly({}) };
  }
  if (request.instrument.kind === 'stored' && blames(answer, instrumentGoneIssues)) {
    return { kind: 'declined', code: 'declined', facts: idsOnly({}), instrumentGone: true };
  }
  const code = declineOf(answer);
  if (code !== undefined) return { kind: 'declined', code, facts: idsOnly({}) };
  const fault = faultOf(answer);
  const param = blamedField(answer);
  return fault.error === undefined || param === undefined
    ? fault
    : { ...fault, error: { ...fault.error, param } };
}

type ExpectedCharge = ChargeRequest & { readonly offSession: boolean };

/**
 * Outcome of an order that is not completed. The buyer has to act next, unless its card or wallet needs no further approval.
 */
async function openOutcome(session: Session, order: Order, request: ExpectedCharge): Promise<ChargeOutcome> {
  const failure = finalFailure(order.authentication, request.authentication);
  if (failure !== undefined) return declinedOrder(order, failure);
  const { kind } = request.instrument;
  const comesWithCard = kind === 'card' || kind === 'stored' || kind === 'withheld';
  if (comesWithCard && hasNoInstrument(order)) {
    // An order shows the card that it was created with, so this one was created by a repeat without its card.
    return kind === 'withheld'
      ? { kind: 'not_carried_out', facts: orderFacts(order, { order: order.id }) }
      : unknown('provider_error', 'order without its card');
  }
  if (!comesWithCard || order.status !== 'APPROVED') return waitingOutcome(order, request, order.redirectUrl);
  const completion = { ...request, upstreamKey: suffixedKey(request.upstreamKey, ':f') };
  const completed = withOrder(await completeOrder(session, order, completion), order);
  return completed.kind === 'not_approved'
    ? waitingOutcome(order, request, completed.redirectUrl)
    : completed;
}

/** Adds the order's id to a result without an outcome, so that the order can be read after the upstream has expired the key. */
const withOrder = <Outcome extends object>(outcome: Outcome | NoAnswer, { id }: Order): Outcome | NoAnswer =>
  isNoAnswer(outcome) ? { ...outcome, upstream: { order: id } } : outcome;

/** Whether an order has no payment source yet: until then no buyer or bank is asked for anything. */
const hasNoInstrument = ({ status, card }: Order): boolean =>
  (status === 'CREATED' || status === 'SAVED') && jsonText(card ?? {}, 'last_digits') === null;

function waitingOutcome(order: Order, request: ExpectedCharge, redirectUrl: string | null): ChargeOutcome {
  if (request.offSession) return declinedOrder(order, 'refused');
  const facts = orderFacts(order, { order: order.id });
  if (request.instrument.kind === 'card_fields') {
    return { kind: 'requires_action', action: 'processor_b_card_fields', redirectUrl: null, facts };
  }
  if (redirectUrl === null && order.status !== 'APPROVED') return { kind: 'missing_approval_url', facts };
  const action = paysByWallet(request.instrument) ? 'processor_b_wallet' : 'processor_b_payer_action';
  return { kind: 'requires_action', action, redirectUrl, facts };
}
