import { isObject, type JsonObject } from '../../lib/json.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, changeOrder, keyOf, respondFresh, type Tools } from '../call/call.ts';
import { internetTime, type Order } from '../model/order.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { readUnitFacts } from './order-request.ts';

const operations = ['add', 'replace', 'remove'] as const;
type PatchOperation = (typeof operations)[number];

interface Patch {
  readonly op: PatchOperation;
  readonly path: string;
  readonly value: unknown;
  /** JSON pointer to this patch in the request. */
  readonly field: string;
}

/**
 * The fields of a purchase unit that may be changed, with the allowed operations (PayPal Orders v2, "Update
 * order").
 */
const ofUnit: ReadonlyMap<string, readonly PatchOperation[]> = new Map<string, readonly PatchOperation[]>([
  ['', ['replace', 'add']],
  ['/amount', ['replace']],
  ['/custom_id', operations],
  ['/description', operations],
  ['/invoice_id', operations],
  ['/items', operations],
  ['/soft_descriptor', ['replace', 'remove']],
  ['/shipping/name', ['replace', 'add']],
  ['/shipping/address', ['replace', 'add']],
  ['/shipping/type', ['replace', 'add']],
  ['/supplementary_data/card', operations],
]);
const unitPath = /^\/purchase_units\/@reference_id=='([^']*)'((?:\/.*)?)$/;

function readPatch(given: JsonObject, index: number): Patch {
  const field = `/${index}`;
  const { op, path, value } = given;
  if (op === undefined) throw malformed('MISSING_REQUIRED_PARAMETER', `${field}/op`);
  const known = operations.find((one) => one === op);
  if (known === undefined) throw malformed('INVALID_PARAMETER_VALUE', `${field}/op`);
  if (path === undefined || path === '') throw unprocessable('PATCH_PATH_REQUIRED', `${field}/path`);
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw unprocessable('INVALID_JSON_POINTER_FORMAT', `${field}/path`);
  }
  if (known !== 'remove' && value === undefined) {
    throw unprocessable('PATCH_VALUE_REQUIRED', `${field}/value`);
  }
  return { op: known, path, value, field };
}

/** Applies a patch to the field at the given path. Only `add` creates missing objects along the path. */
function changed(object: JsonObject, names: readonly string[], patch: Patch): JsonObject {
  const [name = '', ...rest] = names;
  const there = object[name] !== undefined;
  if (rest.length > 0) {
    const inner = object[name];
    return { ...object, [name]: changed(isObject(inner) ? inner : {}, rest, patch) };
  }
  if (patch.op !== 'add' && !there) throw malformed('INVALID_PATCH_OPERATION', `${patch.field}/op`);
  const { [name]: _former, ...others } = object;
  return patch.op === 'remove' ? others : { ...others, [name]: patch.value };
}

function patchUnit(unit: JsonObject, rest: string, patch: Patch): JsonObject {
  const allowed = ofUnit.get(rest);
  if (allowed === undefined) throw unprocessable('NOT_PATCHABLE', `${patch.field}/path`);
  if (!allowed.includes(patch.op)) throw malformed('INVALID_PATCH_OPERATION', `${patch.field}/op`);
  if (rest !== '') return changed(unit, rest.slice(1).split('/'), patch);
  if (!isObject(patch.value)) throw malformed('INVALID_PARAMETER_SYNTAX', `${patch.field}/value`);
  return patch.value;
}

/** Applies one patch to the request behind an order. */
function patched(received: JsonObject, patch: Patch): JsonObject {
  const { op, path, value, field } = patch;
  if (path === '/intent') {
    if (op !== 'replace') throw malformed('INVALID_PATCH_OPERATION', `${field}/op`);
    return { ...received, intent: value };
  }
  if (path === '/payer') {
    if (op === 'remove') throw malformed('INVALID_PATCH_OPERATION', `${field}/op`);
    return { ...received, payer: value };
  }
  const [, reference, rest = ''] = unitPath.exec(path) ?? [];
  if (reference === undefined) throw unprocessable('NOT_PATCHABLE', `${field}/path`);
  const [unit] = Array.isArray(received.purchase_units) ? received.purchase_units : [];
  const known: JsonObject = isObject(unit) ? unit : {};
  if (reference !== (known.reference_id ?? 'default')) {
    throw unprocessable('REFERENCE_ID_NOT_FOUND', `${field}/path`);
  }
  return { ...received, purchase_units: [patchUnit(known, rest, patch)] };
}

function applied(order: Order, patches: readonly Patch[], now: Date): Order {
  const before: JsonObject = isObject(order.received) ? order.received : {};
  let received = before;
  for (const patch of patches) received = patched(received, patch);
  const facts = readUnitFacts(received, order);
  return { ...order, ...facts, received, updatedAt: internetTime(now) };
}

/**
 * `PATCH /v2/checkout/orders/{id}`: changes an order before it is completed. Applies all operations or none.
 */
export async function patchOrder(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const patches = call.patches.map(readPatch);
  if (patches.length === 0) throw malformed('MISSING_REQUIRED_PARAMETER', '/0');
  // PayPal stores no request ids for this operation: the same patch twice leaves the order as after the
  // first.
  const key = { ...keyOf(tools, call, 'patch', 0), requestId: null };
  await changeOrder(tools, key, 'id', id, (order) => {
    if (order.status === 'COMPLETED') throw unprocessable('ORDER_ALREADY_COMPLETED');
    return { order: applied(order, patches, call.now), answer: { status: 204, body: '' } };
  });
  return respondFresh(tools, { status: 204, body: '' });
}
