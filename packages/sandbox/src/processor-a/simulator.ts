import type { SandboxDependencies } from '../lib/dependencies.ts';
import { readHeader, splitUrl, type WireRequest, type WireResponse } from '../lib/wire.ts';
import type { SimulatedWire } from '../simulator/simulator.ts';
import { invalid, ServiceRefusal, serviceErrorResponse } from './authorisation/errors.ts';
import { parseBody, readMerchantAccount } from './authorisation/payment-request.ts';
import { createDisputeService, readDisputeCall } from './disputes/dispute-service.ts';
import { createFollowUp } from './follow-up.ts';
import { createCancel, createReversal, createTechnicalCancel } from './modifications/cancels.ts';
import { createAmountUpdate, createCapture } from './modifications/captures.ts';
import { createRefund } from './modifications/refunds.ts';
import type { Call } from './payments/call.ts';
import { createDetails, type DetailsCall } from './payments/details.ts';
import { createPayments } from './payments/payments.ts';
import { createPaymentMethods } from './saved-methods/payment-methods.ts';
import {
  createListStored,
  createRemoveStored,
  readShopperCall,
  type ShopperCall,
} from './saved-methods/stored-methods.ts';
import { createRequestStore } from './store/store.ts';

type Method = 'GET' | 'POST' | 'DELETE';

type Operation = (
  request: WireRequest,
  signal: AbortSignal | undefined,
  /** The part of the path that the route's pattern captures. Empty if it captures none. */
  id: string,
) => Promise<WireResponse>;

interface Route {
  readonly method: Method;
  readonly pattern: RegExp;
  readonly operate: Operation;
}

const maxKeyLength = 64;

/** The simulated version of the Checkout API, as its URLs name it. */
export const checkoutVersion = 'v71';

/**
 * Builds the pattern of a Checkout API path.
 * @param path as a regular expression
 */
const at = (path: string) => new RegExp(`^/${checkoutVersion}${path}$`);
const onePayment = '/payments/([A-Z0-9]{16})';

function authenticate(request: WireRequest): void {
  if (readHeader(request, 'x-api-key') === undefined) {
    throw new ServiceRefusal(401, '000', 'HTTP Status Response - Unauthorized', 'security');
  }
}

function readAnonymousCall(request: WireRequest): DetailsCall {
  authenticate(request);
  return { body: parseBody(request.body), idempotencyKey: readHeader(request, 'idempotency-key') };
}

function checkKey(key: string | undefined): void {
  if (key !== undefined && key.length > maxKeyLength) {
    throw invalid('14_018', `Idempotency-Key is longer than ${maxKeyLength} characters`);
  }
}

function readCall(request: WireRequest, signal: AbortSignal | undefined): Call {
  const { body, idempotencyKey } = readAnonymousCall(request);
  const merchantAccount = readMerchantAccount(body);
  checkKey(idempotencyKey);
  return { body, merchantAccount, idempotencyKey, signal };
}

function echoKey(request: WireRequest, response: WireResponse): WireResponse {
  const key = readHeader(request, 'idempotency-key');
  if (key === undefined) return response;
  const { status, headers, body } = response;
  return { status, headers: { 'idempotency-key': key, ...headers }, body };
}

function readShopper(request: WireRequest): ShopperCall {
  authenticate(request);
  return readShopperCall(new URLSearchParams(splitUrl(request.url).query));
}

function paymentRoutes(deps: SandboxDependencies): Route[] {
  const store = createRequestStore(deps);
  const follow = createFollowUp(deps);
  const pay = createPayments(deps, store, follow);
  const complete = createDetails(deps, store, follow);
  const cancelByReference = createTechnicalCancel(deps, store);
  const cancel = createCancel(deps, store);
  const reverse = createReversal(deps, store);
  const refund = createRefund(deps, store);
  const capture = createCapture(deps, store);
  const updateAmount = createAmountUpdate(deps, store);
  return [
    post(at('/payments'), (request, signal) => pay(readCall(request, signal))),
    post(at('/payments/details'), (request) => {
      const call = readAnonymousCall(request);
      checkKey(call.idempotencyKey);
      return complete(call);
    }),
    post(at('/cancels'), (request, signal) => cancelByReference(readCall(request, signal))),
    post(at(`${onePayment}/cancels`), (request, signal, id) => cancel(readCall(request, signal), id)),
    post(at(`${onePayment}/reversals`), (request, signal, id) => reverse(readCall(request, signal), id)),
    post(at(`${onePayment}/refunds`), (request, signal, id) => refund(readCall(request, signal), id)),
    post(at(`${onePayment}/captures`), (request, signal, id) => capture(readCall(request, signal), id)),
    post(at(`${onePayment}/amountUpdates`), (request, signal, id) =>
      updateAmount(readCall(request, signal), id),
    ),
  ];
}

function storedMethodRoutes(deps: SandboxDependencies): Route[] {
  const list = createListStored(deps);
  const remove = createRemoveStored(deps);
  const offer = createPaymentMethods(deps);
  return [
    post(at('/paymentMethods'), (request, signal) => offer(readCall(request, signal))),
    {
      method: 'GET',
      pattern: at('/storedPaymentMethods'),
      operate: (request) => list(readShopper(request)),
    },
    {
      method: 'DELETE',
      pattern: at('/storedPaymentMethods/([A-Z0-9]{1,64})'),
      operate: (request, _signal, id) => remove(readShopper(request), id),
    },
  ];
}

const disputeServicePath = '/ca/services/DisputeService/v30';

function disputeRoutes(deps: SandboxDependencies): Route[] {
  return Object.entries(createDisputeService(deps)).map(([name, operation]) =>
    post(new RegExp(`^${disputeServicePath}/${name}$`), (request) =>
      operation(readDisputeCall(readAnonymousCall(request).body)),
    ),
  );
}

function post(pattern: RegExp, operate: Operation): Route {
  return { method: 'POST', pattern, operate };
}

function findRoute(routes: readonly Route[], request: WireRequest): { operate: Operation; id: string } {
  const { path } = splitUrl(request.url);
  const method = request.method.toUpperCase();
  const allowed: Method[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match === null) continue;
    if (route.method === method) return { operate: route.operate, id: match[1] ?? '' };
    allowed.push(route.method);
  }
  if (allowed.length === 0) throw new ServiceRefusal(404, '000', 'Not Found');
  throw new ServiceRefusal(405, '000', 'Method Not Allowed', 'validation', { allow: allowed.join(', ') });
}

/**
 * Simulates Adyen Checkout API v71 and Disputes API v30: the same paths, status codes and bodies, with money
 * that exists only in the simulator's ledger.
 */
export function createProcessorA(deps: SandboxDependencies): SimulatedWire {
  const routes = [...paymentRoutes(deps), ...storedMethodRoutes(deps), ...disputeRoutes(deps)];
  return {
    async handle(request, signal) {
      try {
        const { operate, id } = findRoute(routes, request);
        return echoKey(request, await operate(request, signal, id));
      } catch (error) {
        if (error instanceof ServiceRefusal) return echoKey(request, serviceErrorResponse(error));
        throw error;
      }
    },
  };
}
