import type { JsonObject } from '../json.ts';
import type { SandboxParts } from '../parts.ts';
import { randomReference } from '../random.ts';
import { jsonResponse, readHeader, splitUrl, type WireRequest, type WireResponse } from '../wire.ts';
import { malformed, Refusal, refusalResponse, unknownResource, unprocessable } from './errors.ts';
import { parseBody, requireJson } from './fields.ts';
import { isGone, type Order } from './order.ts';
import type { Addresses } from './present.ts';
import type { Answer, Found, OrderStore, RequestKey } from './store.ts';

/** A request that has passed the door: authenticated and parsed. */
export interface Call {
  readonly merchantAccount: string;
  readonly body: JsonObject;
  readonly requestId: string | null;
  readonly minimal: boolean;
  readonly addresses: Addresses;
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
}

/** What the operations share. */
export interface Tools {
  readonly parts: SandboxParts;
  readonly store: OrderStore;
}

const longestRequestId = 108;

/** Reads what every operation needs of a request. */
export async function readCall(
  parts: SandboxParts,
  request: WireRequest,
  merchantAccount: string,
  signal: AbortSignal | undefined,
): Promise<Call> {
  requireJson(readHeader(request, 'content-type'), request.body);
  const requestId = readHeader(request, 'paypal-request-id') ?? null;
  if (requestId !== null && requestId.length > longestRequestId) {
    throw malformed('INVALID_STRING_LENGTH', 'PayPal-Request-Id');
  }
  return {
    merchantAccount,
    body: request.method.toUpperCase() === 'GET' ? {} : parseBody(request.body),
    requestId,
    minimal: !/\breturn=representation\b/.test(readHeader(request, 'prefer') ?? ''),
    addresses: { api: splitUrl(request.url).origin, pages: parts.publicUrl() },
    now: await parts.now(merchantAccount),
    signal,
  };
}

/** 13 hexadecimal digits, as PayPal logs a request under. */
export function drawDebugId(parts: Pick<SandboxParts, 'randomBytes'>): string {
  return Buffer.from(parts.randomBytes(7)).toString('hex').slice(1);
}

/** A failure on the processor's side that says nothing of the payment. */
export function serverError(parts: Pick<SandboxParts, 'randomBytes'>): (status: 500 | 503) => WireResponse {
  return (status) => refusalResponse(new Refusal(status), drawDebugId(parts));
}

export function keyOf({ parts }: Tools, call: Call, operation: string, keptMs: number): RequestKey {
  const { merchantAccount, requestId, now } = call;
  return {
    merchantAccount,
    operation,
    requestId,
    owner: randomReference(parts.randomBytes(17)),
    at: now,
    keptMs,
  };
}

function respond(parts: SandboxParts, status: number, body: string): WireResponse {
  const headers = { 'paypal-debug-id': drawDebugId(parts) };
  return body === '' ? { status, headers, body: Buffer.alloc(0) } : jsonResponse(status, body, headers);
}

export function respondFresh({ parts }: Tools, { status, body }: Answer): WireResponse {
  return respond(parts, status, body);
}

/** An answer that was given before: what was created then is only shown now. */
export function respondAgain({ parts }: Tools, { status, body }: Answer): WireResponse {
  return respond(parts, status === 201 ? 200 : status, body);
}

/** The earlier answer under the same id, if there is one; refuses while that request is under way. */
export function earlierAnswer(found: Found): Answer | null {
  if (found.earlier === 'in_progress') throw new Refusal(409, { issue: 'PREVIOUS_REQUEST_IN_PROGRESS' });
  return found.earlier;
}

/** Every try that fails means that another request went through, so this is far more than can be needed. */
const mostTries = 100;

export interface Change {
  readonly order: Order;
  readonly answer: Answer;
}

export interface Changed {
  readonly answer: Answer;
  /** The order after this very request; null where an earlier one answers. */
  readonly fresh: Order | null;
}

/**
 * Changes an order under its version: reads it, works out the next state and answer, and writes both at once. Starts
 * over where another request was faster. What `change` refuses has no effect and does not use up the request id.
 */
export async function changeOrder(
  { store }: Tools,
  key: RequestKey,
  by: 'id' | 'authorization_id',
  id: string,
  change: (order: Order) => Change,
): Promise<Changed> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await store.find(key, by, id);
    const earlier = earlierAnswer(found);
    if (earlier !== null) return { answer: earlier, fresh: null };
    if (found.order === null || isGone(found.order, key.at)) throw unknownResource();
    const { order, answer } = change(found.order);
    const committed = await store.commit({ key, order, version: found.version, answer });
    if (committed === 'done') return { answer, fresh: order };
    if (committed === 'duplicate_invoice') throw unprocessable('DUPLICATE_INVOICE_ID');
  }
  throw new Error('an order changed too often to be changed');
}
