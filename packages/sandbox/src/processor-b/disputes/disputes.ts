import type { DisputePosition, DisputeStage } from '../../directives/dispute-directives.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import type { WireResponse } from '../../lib/wire.ts';
import type { OpenedDispute } from '../../simulator/simulator.ts';
import { type Call, respondFresh, type Tools } from '../call/call.ts';
import { isWritable } from '../model/amounts.ts';
import { type Dispute, disputeOf, openingPositions, positionAt, stepsUntil } from '../model/dispute.ts';
import type { Order } from '../model/order.ts';
import { showDispute, showDisputeInfo } from '../present/present-dispute.ts';
import { orderOf } from '../store/store.ts';
import { malformed, unknownResource } from '../wire/errors.ts';
import { changeDispute, findDispute, insertDispute, listDisputes } from './dispute-store.ts';

function readNumber(call: Call, name: string, otherwise: number, max: number): number {
  const text = call.query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > max) {
    throw malformed('INVALID_PARAMETER_VALUE', name);
  }
  return Number(text);
}

function readTime(call: Call, name: string, otherwise: number): number {
  const text = call.query.get(name);
  if (text === null) return otherwise;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw malformed('INVALID_PARAMETER_SYNTAX', name);
  return time;
}

function createFilter(call: Call): (dispute: Dispute) => boolean {
  const capture = call.query.get('disputed_transaction_id');
  if (capture !== null && call.query.has('start_time')) {
    throw malformed('INVALID_PARAMETER_VALUE', 'disputed_transaction_id');
  }
  const states = call.query.get('dispute_state')?.split(',');
  const from = readTime(call, 'start_time', -Infinity);
  const after = readTime(call, 'update_time_after', -Infinity);
  const before = readTime(call, 'update_time_before', Infinity);
  return (dispute) => {
    const steps = stepsUntil(dispute, call.now);
    const [first, last] = [steps[0], steps.at(-1)];
    if (first === undefined || last === undefined) return false;
    const changed = Date.parse(last.at);
    const state = showDisputeInfo(dispute, call.view)?.dispute_state;
    return (
      (capture === null || capture === dispute.captureId) &&
      (states === undefined || states.includes(String(state))) &&
      Date.parse(first.at) >= from &&
      changed >= after &&
      changed <= before
    );
  };
}

/**
 * `GET /v1/customer/disputes` (PayPal Customer Disputes v1, "List disputes"). The page token is the number of
 * the page.
 */
export async function getDisputes(tools: Tools, call: Call): Promise<WireResponse> {
  const size = readNumber(call, 'page_size', 10, 50);
  const page = readNumber(call, 'next_page_token', 1, 100_000);
  const all = await listDisputes(tools.deps.database, call.merchantAccount);
  const matching = all.filter(createFilter(call));
  const items = matching
    .slice((page - 1) * size, page * size)
    .map((dispute) => showDisputeInfo(dispute, call.view));
  const href = `${call.view.api}/v1/customer/disputes`;
  const next = new URLSearchParams(call.query);
  next.set('next_page_token', String(page + 1));
  const more =
    matching.length > page * size ? [{ href: `${href}?${next.toString()}`, rel: 'next', method: 'GET' }] : [];
  const body = {
    ...(items.length === 0 ? {} : { items }),
    links: [{ href, rel: 'self', method: 'GET' }, ...more],
  };
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}

/** `GET /v1/customer/disputes/{id}`. */
export async function getDispute(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const dispute = await findDispute(tools.deps.database, call.merchantAccount, id);
  const body = dispute === null ? null : showDispute(dispute, call.view);
  if (body === null) throw unknownResource();
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}

/** PayPal's terms for the merchant API's dispute reasons (PayPal Customer Disputes v1, dispute_reason). */
const reasons: Readonly<Record<string, string>> = {
  fraudulent: 'UNAUTHORISED',
  processing_error: 'PROBLEM_WITH_REMITTANCE',
  duplicate: 'DUPLICATE_TRANSACTION',
  paid_by_other_means: 'PAYMENT_BY_OTHER_MEANS',
  incorrect_amount: 'INCORRECT_AMOUNT',
  product_not_received: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  product_unacceptable: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
  subscription_canceled: 'CANCELED_RECURRING_BILLING',
  credit_not_processed: 'CREDIT_NOT_PROCESSED',
};

async function capturedOrder(
  database: SandboxDatabase,
  merchantAccount: string,
  reference: string,
): Promise<Order | null> {
  const { rows } = await database.query(
    `select o.state from sandbox.charges c join sandbox.orders o
       on o.merchant_account = c.merchant_account and c.psp_reference in (o.capture_id, o.authorization_id)
     where c.merchant_account = $1 and c.reference = $2 and c.status = 'captured'
     order by c.created_at desc limit 1`,
    [merchantAccount, reference],
  );
  return rows.length === 0 ? null : orderOf(columnsOf(rows[0]).state);
}

export interface OpenDisputeRequest {
  readonly merchantAccount: string;
  /** The merchant's own id of the payment. */
  readonly paymentReference: string;
  readonly state: DisputeStage;
  /** In minor units. Default: everything that was captured. */
  readonly amount?: number | undefined;
  /** A term of the merchant API, such as `fraudulent`, which is the default. */
  readonly reason?: string | undefined;
}

/**
 * Adds the position that has to come before another one: `recovered` needs a preceding `lost`, and a second
 * chargeback needs a first one.
 */
function leadingTo(position: DisputePosition, taken: readonly DisputePosition[]): DisputePosition[] {
  const { state, status } = position;
  const has = (one: DisputePosition) =>
    taken.some((step) => step.state === one.state && step.status === one.status);
  const first: DisputePosition = { state: 'chargeback', status: 'won' };
  const lost: DisputePosition = { state, status: 'lost' };
  if (state === 'second_chargeback' && !has(first)) return [first, position];
  return status === 'recovered' && !has(lost) ? [lost, position] : [position];
}

/** Adds positions at one moment. The last one becomes the current position. */
function atOnce(dispute: Dispute, positions: readonly DisputePosition[], now: Date): Dispute {
  const at = now.toISOString();
  const steps = positions.map(({ state, status }) => ({ state, status, at }));
  return { ...dispute, steps: [...stepsUntil(dispute, now), ...steps] };
}

/**
 * Opens a dispute of a payment in the buyer's name, and plans its event at once.
 * @returns the upstream's id of the dispute; null if nothing was captured, or less than the amount;
 *   `amount_not_carried` if PayPal's format cannot represent the amount
 */
export async function openDisputeB(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  { merchantAccount, paymentReference, state, amount, reason }: OpenDisputeRequest,
): Promise<OpenedDispute> {
  const { database } = deps;
  const order = await capturedOrder(database, merchantAccount, paymentReference);
  const taken = order?.capture?.minorAmount ?? 0;
  const minorAmount = amount ?? taken;
  if (order === null || minorAmount <= 0 || minorAmount > taken) return null;
  const currency = order.capture?.amount.currency_code ?? '';
  if (!isWritable(minorAmount, currency)) return 'amount_not_carried';
  const now = await deps.now(merchantAccount);
  const earlier = await listDisputes(database, merchantAccount);
  for (let number = earlier.length + 1; ; number++) {
    const opened = disputeOf(order, {
      number,
      minorAmount,
      reason: reasons[reason ?? 'fraudulent'] ?? 'OTHER',
      positions: [],
      afterDefence: [],
      at: now,
    });
    if (opened === null) return null;
    const positions = openingPositions(state).flatMap((position) => leadingTo(position, []));
    const dispute = atOnce(opened, positions, now);
    if (await insertDispute(database, dispute)) return { upstreamId: dispute.id };
  }
}

export interface MoveDisputeRequest {
  readonly merchantAccount: string;
  readonly upstreamId: string;
  readonly to: DisputePosition;
}

/**
 * Moves a dispute as the buyer's bank would, and plans its event at once. Discards the steps that were
 * planned for the future.
 * @returns false if the dispute is unknown, not opened yet, or already in this position
 */
export async function moveDisputeB(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  { merchantAccount, upstreamId, to }: MoveDisputeRequest,
): Promise<boolean> {
  const now = await deps.now(merchantAccount);
  const dispute = await findDispute(deps.database, merchantAccount, upstreamId);
  const position = dispute === null ? undefined : positionAt(dispute, now);
  if (position === undefined || (position.state === to.state && position.status === to.status)) return false;
  const moved = await changeDispute(deps.database, merchantAccount, upstreamId, (one) =>
    atOnce(one, leadingTo(to, stepsUntil(one, now)), now),
  );
  return moved !== null;
}
