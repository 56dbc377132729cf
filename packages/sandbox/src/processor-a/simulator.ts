import type { SandboxParts } from '../parts.ts';
import { readHeader, splitUrl, type WireRequest, type WireResponse } from '../wire.ts';
import { createCancel, createTechnicalCancel } from './cancels.ts';
import { createDetails, type DetailsCall } from './details.ts';
import { invalid, ServiceRefusal, serviceErrorResponse } from './errors.ts';
import { parseBody, readMerchantAccount } from './payment-request.ts';
import { type Call, createPayments } from './payments.ts';
import { createRequestStore } from './store.ts';

export interface ProcessorA {
  /**
   * Answers one request. Rejects with `ConnectionDropped` where the simulated processor closes the connection, and
   * with the cause where its own database fails: in both cases the client cannot know what happened.
   */
  handle(request: WireRequest, signal?: AbortSignal): Promise<WireResponse>;
}

type Operation = (request: WireRequest, signal: AbortSignal | undefined) => Promise<WireResponse>;

const longestKey = 64;

function readAnonymousCall(request: WireRequest): DetailsCall {
  if (readHeader(request, 'x-api-key') === undefined) {
    throw new ServiceRefusal(401, '000', 'HTTP Status Response - Unauthorized', 'security');
  }
  return { body: parseBody(request.body), idempotencyKey: readHeader(request, 'idempotency-key') };
}

function checkKey(key: string | undefined): void {
  if (key !== undefined && key.length > longestKey) {
    throw invalid('14_018', `Idempotency-Key is longer than ${longestKey} characters`);
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

function createOperations(parts: SandboxParts): (path: string) => Operation | undefined {
  const store = createRequestStore(parts);
  const pay = createPayments(parts, store);
  const complete = createDetails(parts, store);
  const cancelByReference = createTechnicalCancel(parts, store);
  const cancel = createCancel(parts, store);
  const fixed = new Map<string, Operation>([
    ['/v71/payments', (request, signal) => pay(readCall(request, signal))],
    [
      '/v71/payments/details',
      (request) => {
        const call = readAnonymousCall(request);
        checkKey(call.idempotencyKey);
        return complete(call);
      },
    ],
    ['/v71/cancels', (request, signal) => cancelByReference(readCall(request, signal))],
  ]);
  return (path) => {
    const [, pspReference] = /^\/v71\/payments\/([A-Z0-9]{16})\/cancels$/.exec(path) ?? [];
    return pspReference === undefined
      ? fixed.get(path)
      : (request, signal) => cancel(readCall(request, signal), pspReference);
  };
}

/** Simulates Adyen Checkout API v71: the same paths, status codes and bodies, with money that exists only in its ledger. */
export function createProcessorA(parts: SandboxParts): ProcessorA {
  const find = createOperations(parts);
  return {
    async handle(request, signal) {
      try {
        const operation = find(splitUrl(request.url).path);
        if (operation === undefined) throw new ServiceRefusal(404, '000', 'Not Found');
        if (request.method.toUpperCase() !== 'POST') {
          throw new ServiceRefusal(405, '000', 'Method Not Allowed', 'validation', { allow: 'POST' });
        }
        return echoKey(request, await operation(request, signal));
      } catch (error) {
        if (error instanceof ServiceRefusal) return echoKey(request, serviceErrorResponse(error));
        throw error;
      }
    },
  };
}
