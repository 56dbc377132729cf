import type { ChargeOutcome, ChargeRequest, NoAnswer } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { isNoAnswer, notExecuted, notRuledOut, unknown } from '../../upstream/no-answer.ts';
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
  goneIssues,
  isSuccess,
  notSavedIssues,
} from '../wire/issues.ts';
import type { Reply, Session } from '../wire/session.ts';
import { completeOrder, settledOrder } from './complete.ts';
import { sendTransactionContext } from './transaction-context.ts';

/**
 * Creates the order, which charges a typed or saved card and a saved wallet at once; again without an address that the
 * upstream refuses, and without saving where it cannot and nobody insists (PayPal REST Orders v2, "Create order").
 * Under the key of such a copy it begins with that copy.
 */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  // Of a request without its card only the key is asked, what came of it before.
  const refused =
    request.instrument.kind === 'withheld' ? undefined : await sendTransactionContext(session, request);
  if (refused !== undefined) {
    return request.isRepeat === true ? outcomeOfFirst(session, asUnderKey(request), refused) : refused;
  }
  let sent = asUnderKey(request);
  let { reply, duplicate } = await createOrder(session, sent);
  for (let bare = lesserCharge(reply, sent); bare !== undefined; bare = lesserCharge(reply, sent)) {
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
  return duplicate ? notRuledOut(outcome) : outcome;
}

/**
 * Of a repeat that was refused: what the first request under its key did. The upstream may refuse before it looks the key up, as
 * for a saved card that was removed since. @returns the refusal where nothing was carried out
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
  // What it refuses without the card as it did with it is its stored answer to the first request.
  const first = await creationOutcome(session, reply, isDone(reply) ? withheld : request);
  const isRefused =
    first.kind === 'declined' || first.kind === 'cannot_save' || lesserCharge(reply, request) !== undefined;
  const nothingDone = first.kind === 'not_carried_out' || (isRefused && !isDone(reply));
  return nothingDone ? refusal : notRuledOut(first);
}

const isDone = (reply: Reply) => !isNoAnswer(reply) && isSuccess(reply);

async function createOrder(session: Session, request: ChargeRequest) {
  // Without its card only the key counts: what else could be refused before it is looked up is left out.
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

/** What a changed copy of a charge leaves out, by the last part of its key. */
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
 * The request that belongs to its key: a repeat of a changed copy leaves out what that copy left out. Any other body could be
 * refused before the upstream looks the key up, and the copy of it would charge a second time.
 */
function asUnderKey(request: ChargeRequest): ChargeRequest {
  const [, , ...made] = request.upstreamKey.split(':');
  const deps = made.filter((part): part is Copy => Object.hasOwn(copies, part));
  return Object.assign({ ...request }, ...deps.map((part) => copies[part]));
}

/** The charge without what the upstream refuses in it, under a key of its own; undefined where that changes nothing. */
function lesserCharge(reply: Reply, request: ChargeRequest): ChargeRequest | undefined {
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
  // A charge of a saved instrument shows its token again, which is nothing new.
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
  if (request.instrument.kind === 'stored' && blames(answer, goneIssues)) {
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

/** An order that is not completed: the buyer comes next, except for a card or wallet that needs nobody any more. */
async function openOutcome(session: Session, order: Order, request: ExpectedCharge): Promise<ChargeOutcome> {
  const failure = finalFailure(order.authentication, request.authentication);
  if (failure !== undefined) return declinedOrder(order, failure);
  const { kind } = request.instrument;
  const comesWithCard = kind === 'card' || kind === 'stored' || kind === 'withheld';
  if (comesWithCard && hasNoInstrument(order)) {
    // A card that was sent is in its order: this one was made by a repeat that had none.
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

/** Without an outcome the order is known all the same: it can be read once the upstream has forgotten the key. */
const withOrder = <Outcome extends object>(outcome: Outcome | NoAnswer, { id }: Order): Outcome | NoAnswer =>
  isNoAnswer(outcome) ? { ...outcome, upstream: { order: id } } : outcome;

/** Whether an order waits for what will pay it: until then nothing is asked of a buyer or bank. */
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
