import { readDocument, replaceDocument } from '../../lib/documents.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, respondFresh, type Tools } from '../call/call.ts';
import { malformed, Refusal, unknownResource, unprocessable } from '../wire/errors.ts';
import { requiredObject } from '../wire/fields.ts';

/** The data that a merchant sends about a buyer before a payment (PayPal docs, "Set Transaction Context"). */

interface Pair {
  readonly key: string;
  readonly value: string;
}

const maxPairs = 100;
const maxTextLength = 4_000;
const refusedValue = 'SIM-STC-REFUSED';

function readPair(source: unknown, field: string): Pair {
  const { key, value } = requiredObject(source, field);
  if (typeof key !== 'string' || !/^\w{1,100}$/.test(key)) {
    throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/key`);
  }
  if (typeof value !== 'string') throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/value`);
  if (value.length > maxTextLength) throw malformed('INVALID_STRING_LENGTH', `${field}/value`);
  if (value === refusedValue) throw unprocessable('INVALID_PARAMETER_VALUE', `${field}/value`);
  return { key, value };
}

function readPairs(value: unknown): Pair[] {
  const field = '/additional_data';
  if (value === undefined || value === null) throw malformed('MISSING_REQUIRED_PARAMETER', field);
  if (!Array.isArray(value) || value.length > maxPairs) throw malformed('INVALID_PARAMETER_VALUE', field);
  return value.map((pair, index) => readPair(pair, `${field}/${index}`));
}

/** Refuses a merchant that sends data about another merchant's buyers. */
function checkMerchant({ merchantAccount }: Call, merchantId: string): void {
  if (merchantId !== merchantAccount) throw new Refusal(403, { issue: 'PERMISSION_DENIED' });
}

function checkTrackingId(trackingId: string): void {
  if (!/^[\w-]{1,36}$/.test(trackingId)) throw malformed('INVALID_STRING_LENGTH', 'tracking_id');
}

/**
 * `PUT /v1/risk/transaction-contexts/{merchant_id}/{tracking_id}`: stores a context and replaces an earlier
 * one.
 */
export async function putContext(
  tools: Tools,
  call: Call,
  merchantId: string,
  trackingId: string,
): Promise<WireResponse> {
  checkMerchant(call, merchantId);
  checkTrackingId(trackingId);
  const { tracking_id } = call.body;
  if (tracking_id !== undefined && tracking_id !== trackingId) {
    throw unprocessable('INCOMPATIBLE_PARAMETER_VALUE', '/tracking_id');
  }
  const body = { tracking_id: trackingId, additional_data: readPairs(call.body.additional_data) };
  await replaceDocument(tools.deps.database, {
    kind: 'transaction_context',
    id: trackingId,
    merchantAccount: merchantId,
    body,
    at: call.now,
  });
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}

/** `GET /v1/risk/transaction-contexts/{merchant_id}/{tracking_id}`. */
export async function getContext(
  tools: Tools,
  call: Call,
  merchantId: string,
  trackingId: string,
): Promise<WireResponse> {
  checkMerchant(call, merchantId);
  const kept = await readDocument(tools.deps.database, 'transaction_context', trackingId, merchantId);
  if (kept === null) throw unknownResource();
  return respondFresh(tools, { status: 200, body: JSON.stringify(kept.body) });
}
