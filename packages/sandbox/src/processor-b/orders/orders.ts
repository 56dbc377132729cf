import { sendVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { objectIn } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import type { WireResponse } from '../../lib/wire.ts';
import {
  type Call,
  type Changed,
  changeOrder,
  earlierAnswer,
  keyOf,
  respondAgain,
  respondFresh,
  sendFirst,
  type Tools,
} from '../call/call.ts';
import { type Executed, execute, faultOf } from '../call/execution.ts';
import { sandboxBuyer } from '../model/identities.ts';
import { type Instrument, walletsOf } from '../model/instruments.ts';
import { internetTime, isGone, type Order } from '../model/order.ts';
import { keepInVault, readVaultId, refuseSaving } from '../model/saving.ts';
import { showOrder } from '../present/present.ts';
import type { Answer, RequestKey } from '../store/store.ts';
import { malformed, unknownResource, unprocessable } from '../wire/errors.ts';
import { resolveOrder } from './approval.ts';
import { readDirective } from './directives.ts';
import { knownCard, readOrderRequest } from './order-request.ts';
import { filledInCard, readPaymentSource } from './payment-source.ts';
import { generatePaymentIds, type PaymentIds, pay } from './settle.ts';
import { chargeable } from './stored-charge.ts';

/** How long PayPal stores a response of the Orders API under its request id. */
const retentionMs = 6 * 60 * 60 * 1000;

function answerWith(status: number, order: Order, call: Call): Answer {
  return { status, body: JSON.stringify(showOrder(order, call.view, call.minimal)) };
}

function waitsForBuyer(order: Order): boolean {
  if (order.card !== null) return order.card.challenge !== null;
  return order.origin === 'wallet' && order.stored === null;
}

/** The order as it is stored if a directive lets the buyer act before the response arrives. */
function actedAtOnce(order: Order, now: Date): Order {
  const approved = { ...order, status: 'APPROVED' as const, approvedAt: internetTime(now) };
  if (order.origin === 'wallet' && order.directive === 'SIM-WALLET-APPROVE') {
    return { ...approved, buyer: 'approved' };
  }
  if (order.origin === 'card_fields' && order.directive === 'SIM-CARDFIELDS-APPROVE') {
    return { ...approved, card: filledInCard(now) };
  }
  return order;
}

/** Captures or authorizes an order, and saves its payment source if requested. */
async function payAndKeep(tools: Tools, order: Order, ids: PaymentIds, now: Date): Promise<Order> {
  const paid = pay(order, ids, now);
  const keepsWallet = paid.saving !== null && paid.card === null;
  const { deps } = tools;
  const wallets = keepsWallet
    ? await walletsOf(deps.database, paid.merchantAccount, sandboxBuyer.account_id)
    : [];
  return keepInVault(paid, wallets);
}

interface Begun {
  /** The order as the response shows it. */
  readonly shown: Order;
  readonly kept: Order;
}

async function begin(tools: Tools, call: Call, instrument: Instrument | null): Promise<Begun> {
  const { merchantAccount, now } = call;
  const id = randomReference(tools.deps.randomBytes(17));
  const order = readOrderRequest(call.body, { id, merchantAccount, now, instrument });
  refuseSaving(order);
  if (waitsForBuyer(order)) {
    const waiting = { ...order, status: 'PAYER_ACTION_REQUIRED' as const };
    return { shown: waiting, kept: actedAtOnce(waiting, now) };
  }
  if (order.origin === 'card' || order.stored !== null) {
    const paid = await payAndKeep(tools, order, generatePaymentIds(tools.deps), now);
    return { shown: paid, kept: paid };
  }
  return { shown: order, kept: actedAtOnce(order, now) };
}

function letVirtualBuyerAct({ deps }: Tools, order: Order): void {
  if (order.status !== 'PAYER_ACTION_REQUIRED' || order.card === null) return;
  sendVirtualBuyer(deps, order.directive, (outcome) => resolveOrder(deps, order.id, outcome));
}

async function writeNew(
  tools: Tools,
  call: Call,
  key: RequestKey,
  instrument: Instrument | null,
): Promise<Executed> {
  const { shown, kept } = await begin(tools, call, instrument);
  const answer = answerWith(201, shown, call);
  const committed = await tools.store.commit({ key, before: null, order: kept, version: 0, answer });
  if (committed === 'duplicate_invoice') throw unprocessable('DUPLICATE_INVOICE_ID');
  if (committed === 'done') {
    letVirtualBuyerAct(tools, kept);
    await sendFirst(tools, kept);
    return { response: respondFresh(tools, answer), fresh: true };
  }
  const earlier = earlierAnswer(await tools.store.find(key, 'id', ''));
  if (earlier === null) throw new Error('the sandbox lost a request that it had just met');
  return { response: respondAgain(tools, earlier), fresh: false };
}

/**
 * `POST /v2/checkout/orders`: charges a typed card or a saved instrument at once. Other orders wait for the
 * buyer.
 */
export async function createOrder(tools: Tools, call: Call): Promise<WireResponse> {
  const card = objectIn(objectIn(call.body, 'payment_source'), 'card');
  const vaultId = readVaultId(call.body);
  const charges = card.number !== undefined || vaultId !== null;
  if (charges && call.requestId === null) throw malformed('PAYPAL_REQUEST_ID_REQUIRED');
  const key = keyOf(tools, call, 'create', retentionMs);
  const directive = charges ? readDirective(call.body) : null;
  const occasion = `create:${call.requestId ?? ''}`;
  return execute(tools, call, key, { fault: faultOf(directive), occasion }, async () => {
    const earlier = vaultId === null ? null : earlierAnswer(await tools.store.find(key, 'id', ''));
    // An order that was charged under this request id stays charged, whatever has happened to the token
    // since.
    if (earlier !== null) return { response: respondAgain(tools, earlier), fresh: false };
    const instrument = vaultId === null ? null : await chargeable(tools.deps, call, vaultId);
    return writeNew(tools, call, key, instrument);
  });
}

async function ownOrder(tools: Tools, call: Call, id: string): Promise<Order> {
  const read = await tools.store.read(id);
  const own = read?.order.merchantAccount === call.merchantAccount && !isGone(read.order, call.now);
  if (read === null || !own) throw unknownResource();
  return read.order;
}

/** `GET /v2/checkout/orders/{id}`. */
export async function getOrder(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const order = await ownOrder(tools, call, id);
  return respondFresh(tools, answerWith(200, order, { ...call, minimal: false }));
}

function refuseCompleted(order: Order): void {
  if (order.status !== 'COMPLETED') return;
  throw unprocessable(order.intent === 'CAPTURE' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED');
}

function withSource(order: Order, call: Call): Order {
  const { body, now } = call;
  const { merchantAccount, id } = order;
  const directive = readDirective(body) ?? order.directive;
  const context = { merchantAccount, orderId: id, directive, now, instrument: null };
  const source = readPaymentSource(body, context);
  if (source.origin === 'card_fields') {
    throw unprocessable('CARD_NUMBER_REQUIRED', '/payment_source/card/number');
  }
  const card = knownCard(source);
  const changed: Order = {
    ...order,
    directive,
    origin: card === null ? 'wallet' : order.origin === 'card' ? 'card' : 'card_fields',
    card,
    saving: source.saving ?? order.saving,
    stored: null,
    authentication: source.authentication,
    returnUrl: source.returnUrl ?? order.returnUrl,
    cancelUrl: source.cancelUrl ?? order.cancelUrl,
    brandName: source.brandName ?? order.brandName,
    buyer: null,
    approvedAt: null,
    updatedAt: internetTime(now),
  };
  refuseSaving(changed);
  return waitsForBuyer(changed)
    ? { ...changed, status: 'PAYER_ACTION_REQUIRED' }
    : { ...changed, status: 'APPROVED', approvedAt: internetTime(now) };
}

function respondChanged(tools: Tools, { answer, fresh }: Changed): Executed {
  const response = fresh === null ? respondAgain(tools, answer) : respondFresh(tools, answer);
  return { response, fresh: fresh !== null };
}

/** `POST /v2/checkout/orders/{id}/confirm-payment-source`: adds the card that the order was waiting for. */
export async function confirmPaymentSource(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  if (call.body.payment_source === undefined) {
    throw malformed('MISSING_REQUIRED_PARAMETER', '/payment_source');
  }
  const key = keyOf(tools, call, 'confirm', retentionMs);
  const changed = await changeOrder(tools, key, 'id', id, (order) => {
    refuseCompleted(order);
    const confirmed = withSource(order, call);
    return { order: confirmed, answer: answerWith(200, confirmed, call) };
  });
  if (changed.fresh !== null) letVirtualBuyerAct(tools, changed.fresh);
  return respondChanged(tools, changed).response;
}

/** `POST /v2/checkout/orders/{id}/capture` and `…/authorize`: captures or authorizes an approved order. */
export async function payOrder(
  tools: Tools,
  call: Call,
  id: string,
  action: 'capture' | 'authorize',
): Promise<WireResponse> {
  const { directive, origin } = await ownOrder(tools, call, id);
  const key = keyOf(tools, call, action, retentionMs);
  const ids = generatePaymentIds(tools.deps);
  const work = async () => {
    const changed = await changeOrder(tools, key, 'id', id, async (order) => {
      if ((order.intent === 'CAPTURE') !== (action === 'capture')) {
        throw unprocessable('ACTION_DOES_NOT_MATCH_INTENT');
      }
      refuseCompleted(order);
      if (order.status !== 'APPROVED') throw unprocessable('ORDER_NOT_APPROVED');
      const paid = await payAndKeep(tools, order, ids, call.now);
      return { order: paid, answer: answerWith(201, paid, call) };
    });
    return respondChanged(tools, changed);
  };
  // The fault of a typed card was already injected when the order was created.
  const faultOccasion = { fault: faultOf(origin === 'card' ? null : directive), occasion: `order:${id}` };
  return execute(tools, call, key, faultOccasion, work);
}
