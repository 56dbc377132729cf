import type { SandboxParts } from '../parts.ts';
import { readHeader, type WireRequest, type WireResponse } from '../wire.ts';
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

type Operation = (call: Call) => Promise<WireResponse>;

const longestKey = 64;

function findOperation(operations: ReadonlyMap<string, Operation>, request: WireRequest): Operation {
  const [, path = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(request.url) ?? [];
  const operation = operations.get(path);
  if (operation === undefined) throw new ServiceRefusal(404, '000', 'Not Found');
  if (request.method.toUpperCase() !== 'POST') {
    throw new ServiceRefusal(405, '000', 'Method Not Allowed', 'validation', { allow: 'POST' });
  }
  return operation;
}

function readCall(request: WireRequest, signal: AbortSignal | undefined): Call {
  if (readHeader(request, 'x-api-key') === undefined) {
    throw new ServiceRefusal(401, '000', 'HTTP Status Response - Unauthorized', 'security');
  }
  const body = parseBody(request.body);
  const merchantAccount = readMerchantAccount(body);
  const idempotencyKey = readHeader(request, 'idempotency-key');
  if (idempotencyKey !== undefined && idempotencyKey.length > longestKey) {
    throw invalid('14_018', `Idempotency-Key is longer than ${longestKey} characters`);
  }
  return { body, merchantAccount, idempotencyKey, signal };
}

function echoKey(request: WireRequest, response: WireResponse): WireResponse {
  const key = readHeader(request, 'idempotency-key');
  if (key === undefined) return response;
  const { status, headers, body } = response;
  return { status, headers: { 'idempotency-key': key, ...headers }, body };
}

/** Simulates Adyen Checkout API v71: the same paths, status codes and bodies, with money that exists only in its ledger. */
export function createProcessorA(parts: SandboxParts): ProcessorA {
  const operations = new Map<string, Operation>([
    ['/v71/payments', createPayments(parts, createRequestStore(parts))],
  ]);
  return {
    async handle(request, signal) {
      try {
        const operation = findOperation(operations, request);
        return echoKey(request, await operation(readCall(request, signal)));
      } catch (error) {
        if (error instanceof ServiceRefusal) return echoKey(request, serviceErrorResponse(error));
        throw error;
      }
    },
  };
}
