import type { SandboxParts } from '../parts.ts';
import { splitUrl, type WireRequest, type WireResponse } from '../wire.ts';
import { createAccessTokens } from './access-tokens.ts';
import { type Call, drawDebugId, readCall, type Tools } from './call.ts';
import { Refusal, refusalResponse, unknownResource } from './errors.ts';
import { captureAuthorization, getAuthorization, getCapture, voidAuthorization } from './holds.ts';
import { confirmPaymentSource, createOrder, getOrder, payOrder } from './orders.ts';
import { createOrderStore } from './store.ts';

export interface ProcessorB {
  /**
   * Answers one request. Rejects with `ConnectionDropped` where the simulated processor closes the connection, and
   * with the cause where its own database fails: in both cases the client cannot know what happened.
   */
  handle(request: WireRequest, signal?: AbortSignal): Promise<WireResponse>;
}

type Operation = (tools: Tools, call: Call, id: string) => Promise<WireResponse>;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly operation: Operation;
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v2\/checkout\/orders$/, operation: createOrder },
  { method: 'GET', path: /^\/v2\/checkout\/orders\/([A-Z0-9]+)$/, operation: getOrder },
  {
    method: 'POST',
    path: /^\/v2\/checkout\/orders\/([A-Z0-9]+)\/confirm-payment-source$/,
    operation: confirmPaymentSource,
  },
  {
    method: 'POST',
    path: /^\/v2\/checkout\/orders\/([A-Z0-9]+)\/capture$/,
    operation: (tools, call, id) => payOrder(tools, call, id, 'capture'),
  },
  {
    method: 'POST',
    path: /^\/v2\/checkout\/orders\/([A-Z0-9]+)\/authorize$/,
    operation: (tools, call, id) => payOrder(tools, call, id, 'authorize'),
  },
  { method: 'GET', path: /^\/v2\/payments\/authorizations\/([A-Z0-9]+)$/, operation: getAuthorization },
  {
    method: 'POST',
    path: /^\/v2\/payments\/authorizations\/([A-Z0-9]+)\/capture$/,
    operation: captureAuthorization,
  },
  {
    method: 'POST',
    path: /^\/v2\/payments\/authorizations\/([A-Z0-9]+)\/void$/,
    operation: voidAuthorization,
  },
  { method: 'GET', path: /^\/v2\/payments\/captures\/([A-Z0-9]+)$/, operation: getCapture },
];

function findRoute(request: WireRequest): { readonly operation: Operation; readonly id: string } {
  const { path } = splitUrl(request.url);
  const matches = routes.flatMap((route) => {
    const match = route.path.exec(path);
    return match === null ? [] : [{ route, id: match[1] ?? '' }];
  });
  if (matches.length === 0) throw unknownResource();
  const method = request.method.toUpperCase();
  const match = matches.find(({ route }) => route.method === method);
  if (match === undefined) {
    throw new Refusal(405, undefined, { allow: matches.map(({ route }) => route.method).join(', ') });
  }
  return { operation: match.route.operation, id: match.id };
}

const tokenPath = '/v1/oauth2/token';

/**
 * Simulates the PayPal REST API (Orders v2, Payments v2): the same paths, status codes and bodies, with money that
 * exists only in its ledger. The client id is the merchant account.
 */
export function createProcessorB(parts: SandboxParts): ProcessorB {
  const tokens = createAccessTokens(parts);
  const tools: Tools = { parts, store: createOrderStore(parts.database) };
  return {
    async handle(request, signal) {
      try {
        if (splitUrl(request.url).path === tokenPath && request.method.toUpperCase() === 'POST') {
          return await tokens.issue(request);
        }
        const merchantAccount = await tokens.accountOf(request);
        const { operation, id } = findRoute(request);
        return await operation(tools, await readCall(parts, request, merchantAccount, signal), id);
      } catch (error) {
        if (error instanceof Refusal) return refusalResponse(error, drawDebugId(parts));
        throw error;
      }
    },
  };
}
