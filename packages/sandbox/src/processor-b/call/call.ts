import { findWebhookDirective } from '../../directives/webhook-directives.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import type { JsonObject } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import { jsonResponse, readHeader, splitUrl, type WireRequest, type WireResponse } from '../../lib/wire.ts';
import type { SigningKey } from '../events/signing-key.ts';
import { isGone, type Order } from '../model/order.ts';
import type { View } from '../present/present.ts';
import type { Answer, Found, OrderStore, RequestKey } from '../store/store.ts';
import { malformed, Refusal, refusalResponse, unknownResource, unprocessable } from '../wire/errors.ts';
import { parseBody, parsePatches, requireJson } from '../wire/fields.ts';
import { readForm, type UploadedFile } from '../wire/form.ts';

/** An authenticated and parsed request. */
export interface Call {
  readonly merchantAccount: string;
  readonly body: JsonObject;
  /** The operations of a JSON Patch. Empty for any other body. */
  readonly patches: readonly JsonObject[];
  /** The uploaded files of a form. Empty for any other body. */
  readonly files: readonly UploadedFile[];
  readonly query: URLSearchParams;
  readonly requestId: string | null;
  readonly minimal: boolean;
  readonly view: View;
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
}

/** The dependencies that the operations share. */
export interface Tools {
  readonly deps: SandboxDependencies;
  readonly store: OrderStore;
  signingKey(): Promise<SigningKey>;
  /** Sends an account's due events before the request that caused them gets its response. */
  sendDue(merchantAccount: string): Promise<unknown>;
}

const maxRequestIdLength = 108;

type Body = Pick<Call, 'body' | 'patches' | 'files'>;

async function readBody(request: WireRequest, takesForm: boolean): Promise<Body> {
  const contentType = readHeader(request, 'content-type');
  if (takesForm && /^multipart\/form-data\b/i.test(contentType ?? '')) {
    const { input, files } = await readForm(contentType ?? '', request.body);
    return { body: input, patches: [], files };
  }
  requireJson(contentType, request.body);
  const method = request.method.toUpperCase();
  if (method === 'PATCH') return { body: {}, patches: parsePatches(request.body), files: [] };
  return { body: method === 'GET' ? {} : parseBody(request.body), patches: [], files: [] };
}

/** Reads the parts of a request that every operation needs. */
export async function readCall(
  deps: SandboxDependencies,
  request: WireRequest,
  { merchantAccount, takesForm }: { readonly merchantAccount: string; readonly takesForm: boolean },
  signal: AbortSignal | undefined,
): Promise<Call> {
  const { body, patches, files } = await readBody(request, takesForm);
  const requestId = readHeader(request, 'paypal-request-id') ?? null;
  if (requestId !== null && requestId.length > maxRequestIdLength) {
    throw malformed('INVALID_STRING_LENGTH', 'PayPal-Request-Id');
  }
  const { origin, query } = splitUrl(request.url);
  const now = await deps.now(merchantAccount);
  return {
    merchantAccount,
    body,
    patches,
    files,
    query: new URLSearchParams(query),
    requestId,
    minimal: !/\breturn=representation\b/.test(readHeader(request, 'prefer') ?? ''),
    view: { api: origin, pages: deps.publicUrl(), now },
    now,
    signal,
  };
}

/** Generates a debug id of 13 hexadecimal digits, the id under which PayPal logs a request. */
export function generateDebugId(deps: Pick<SandboxDependencies, 'randomBytes'>): string {
  return Buffer.from(deps.randomBytes(7)).toString('hex').slice(1);
}

/** A server-side failure that leaves the payment's outcome open. */
export function serverError(
  deps: Pick<SandboxDependencies, 'randomBytes'>,
): (status: 500 | 503) => WireResponse {
  return (status) => refusalResponse(new Refusal(status), generateDebugId(deps));
}

export function keyOf({ deps }: Tools, call: Call, operation: string, retentionMs: number): RequestKey {
  const { merchantAccount, requestId, now } = call;
  return {
    merchantAccount,
    operation,
    requestId,
    owner: randomReference(deps.randomBytes(17)),
    at: now,
    retentionMs,
  };
}

function respond(deps: SandboxDependencies, status: number, body: string): WireResponse {
  const headers = { 'paypal-debug-id': generateDebugId(deps) };
  return body === '' ? { status, headers, body: Buffer.alloc(0) } : jsonResponse(status, body, headers);
}

export function respondFresh({ deps }: Tools, { status, body }: Answer): WireResponse {
  return respond(deps, status, body);
}

/** Repeats an earlier response. An object that was created then is only shown now, so 201 becomes 200. */
export function respondAgain({ deps }: Tools, { status, body }: Answer): WireResponse {
  return respond(deps, status === 201 ? 200 : status, body);
}

/**
 * Returns the earlier response to a request with the same id, or null if there is none.
 * @throws Refusal if the earlier request is still in flight
 */
export function earlierAnswer(found: Found): Answer | null {
  if (found.earlier === 'in_progress') throw new Refusal(409, { issue: 'PREVIOUS_REQUEST_IN_PROGRESS' });
  return found.earlier;
}

/** Sends the events of a step before its response, if the directive asks for it. */
export async function sendFirst(
  tools: Tools,
  { directive, merchantAccount }: Pick<Order, 'directive' | 'merchantAccount'>,
): Promise<void> {
  if (directive === null || findWebhookDirective(directive)?.does !== 'first') return;
  await tools.sendDue(merchantAccount);
}

/** A failed attempt means that a concurrent request succeeded, so far fewer attempts than this suffice. */
const maxTries = 100;

export interface Change {
  readonly order: Order;
  readonly answer: Answer;
}

export interface Changed {
  readonly answer: Answer;
  /** The order after this very request, or null if an earlier request provided the response. */
  readonly fresh: Order | null;
}

/**
 * Changes an order with optimistic locking: reads it, determines the next state and the response, and writes
 * both at once. Starts over if a concurrent request changed the order first. If `change` throws, nothing
 * happens and the request id stays unused.
 */
export async function changeOrder(
  tools: Tools,
  key: RequestKey,
  by: 'id' | 'authorization_id' | 'capture_id',
  id: string,
  change: (order: Order) => Change | Promise<Change>,
): Promise<Changed> {
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await tools.store.find(key, by, id);
    const earlier = earlierAnswer(found);
    if (earlier !== null) return { answer: earlier, fresh: null };
    const { order: before, version } = found;
    if (before === null || isGone(before, key.at)) throw unknownResource();
    const { order, answer } = await change(before);
    const committed = await tools.store.commit({ key, before, order, version, answer });
    if (committed === 'done') {
      await sendFirst(tools, order);
      return { answer, fresh: order };
    }
    if (committed === 'duplicate_invoice') throw unprocessable('DUPLICATE_INVOICE_ID');
  }
  throw new Error('an order changed too often to be changed');
}
