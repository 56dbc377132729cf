import type { SandboxDependencies } from '../lib/dependencies.ts';
import { splitUrl, type WireRequest, type WireResponse } from '../lib/wire.ts';
import { createNotificationSender } from '../outbox/outbox.ts';
import type { SimulatedWire } from '../simulator/simulator.ts';
import {
  captureAuthorization,
  getAuthorization,
  getCapture,
  reauthorize,
  voidAuthorization,
} from './after-payment/holds.ts';
import { getRefund, refundCapture } from './after-payment/refunds.ts';
import { type Call, generateDebugId, readCall, type Tools } from './call/call.ts';
import {
  acceptClaim,
  adjudicate,
  appeal,
  provideEvidence,
  provideSupportingInfo,
  requireEvidence,
} from './disputes/dispute-actions.ts';
import { getDispute, getDisputes } from './disputes/disputes.ts';
import { createSigningKey } from './events/signing-key.ts';
import { patchOrder } from './orders/order-patch.ts';
import { confirmPaymentSource, createOrder, getOrder, payOrder } from './orders/orders.ts';
import { getContext, putContext } from './orders/transaction-contexts.ts';
import type { DisputeAction } from './present/present-dispute.ts';
import { createOrderStore } from './store/store.ts';
import { createSetupToken, getSetupToken } from './vault/setup-tokens.ts';
import { createToken, deleteToken, getToken, listTokens } from './vault/vault-tokens.ts';
import {
  certificatePath,
  createNotificationSignerB,
  getCertificate,
  getWebhook,
  verifySignature,
} from './webhooks.ts';
import { createAccessTokens } from './wire/access-tokens.ts';
import { Refusal, refusalResponse, unknownResource } from './wire/errors.ts';

type Operation = (tools: Tools, call: Call, ...ids: [string, string]) => Promise<WireResponse>;

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The capturing groups are the ids that the operation receives. */
  readonly path: RegExp;
  readonly operation: Operation;
  /** Whether the body may be a form with files. */
  readonly takesForm: boolean;
}

const orders = '/v2/checkout/orders';
const payments = '/v2/payments';
const vault = '/v3/vault/payment-tokens';
const setups = '/v3/vault/setup-tokens';
const disputes = '/v1/customer/disputes';
const id = '/([A-Z0-9]+)';

function route(method: Route['method'], path: string, operation: Operation): Route {
  return { method, path: new RegExp(`^${path}$`), operation, takesForm: false };
}

function disputeRoute(action: DisputeAction, operation: Operation): Route {
  return { ...route('POST', `${disputes}/([A-Z0-9-]+)/${action}`, operation), takesForm: true };
}

const routes: readonly Route[] = [
  route('POST', orders, createOrder),
  route('GET', `${orders}${id}`, getOrder),
  route('PATCH', `${orders}${id}`, patchOrder),
  route('POST', `${orders}${id}/confirm-payment-source`, confirmPaymentSource),
  route('POST', `${orders}${id}/capture`, (tools, call, order) => payOrder(tools, call, order, 'capture')),
  route('POST', `${orders}${id}/authorize`, (tools, call, order) =>
    payOrder(tools, call, order, 'authorize'),
  ),
  route('GET', `${payments}/authorizations${id}`, getAuthorization),
  route('POST', `${payments}/authorizations${id}/capture`, captureAuthorization),
  route('POST', `${payments}/authorizations${id}/void`, voidAuthorization),
  route('POST', `${payments}/authorizations${id}/reauthorize`, reauthorize),
  route('GET', `${payments}/captures${id}`, getCapture),
  route('POST', `${payments}/captures${id}/refund`, refundCapture),
  route('GET', `${payments}/refunds${id}`, getRefund),
  route('POST', setups, createSetupToken),
  route('GET', `${setups}${id}`, getSetupToken),
  route('POST', vault, createToken),
  route('GET', vault, listTokens),
  route('GET', `${vault}/([\\w-]+)`, getToken),
  route('DELETE', `${vault}/([\\w-]+)`, deleteToken),
  route('POST', '/v1/notifications/verify-webhook-signature', verifySignature),
  route('GET', '/v1/notifications/webhooks/([\\w-]+)', getWebhook),
  route('GET', disputes, getDisputes),
  route('GET', `${disputes}/([A-Z0-9-]+)`, getDispute),
  disputeRoute('accept-claim', acceptClaim),
  disputeRoute('provide-evidence', provideEvidence),
  disputeRoute('provide-supporting-info', provideSupportingInfo),
  disputeRoute('appeal', appeal),
  disputeRoute('adjudicate', adjudicate),
  disputeRoute('require-evidence', requireEvidence),
  route('PUT', '/v1/risk/transaction-contexts/([^/]+)/([^/]+)', putContext),
  route('GET', '/v1/risk/transaction-contexts/([^/]+)/([^/]+)', getContext),
];

function findRoute(request: WireRequest): { readonly route: Route; readonly ids: [string, string] } {
  const { path } = splitUrl(request.url);
  const matches = routes.flatMap((one) => {
    const match = one.path.exec(path);
    return match === null ? [] : [{ route: one, ids: [match[1] ?? '', match[2] ?? ''] as [string, string] }];
  });
  if (matches.length === 0) throw unknownResource();
  const method = request.method.toUpperCase();
  const match = matches.find((one) => one.route.method === method);
  if (match === undefined) {
    throw new Refusal(405, undefined, { allow: matches.map((one) => one.route.method).join(', ') });
  }
  return match;
}

const tokenPath = '/v1/oauth2/token';

/**
 * Creates the function that sends events before a response. It does not send those of the other processor,
 * whose accounts are different ones.
 */
function createSender(deps: SandboxDependencies): Tools['sendDue'] {
  const sender = createNotificationSender(deps, {
    processor_b: createNotificationSignerB(deps),
  });
  return (merchantAccount) => sender.sendDue(merchantAccount);
}

/**
 * Simulates the PayPal REST API (Orders v2, Payments v2, Vault v3, Customer Disputes v1): the same paths,
 * status codes and bodies, with money that exists only in the simulator's ledger. The client id is the
 * merchant account.
 */
export function createProcessorB(deps: SandboxDependencies): SimulatedWire {
  const tokens = createAccessTokens(deps);
  const tools: Tools = {
    deps,
    store: createOrderStore(deps),
    signingKey: createSigningKey(deps),
    sendDue: createSender(deps),
  };
  const answer = async (request: WireRequest, signal: AbortSignal | undefined): Promise<WireResponse> => {
    const { path } = splitUrl(request.url);
    const method = request.method.toUpperCase();
    if (path === tokenPath && method === 'POST') return tokens.issue(request);
    if (path === certificatePath && method === 'GET') return getCertificate(() => tools.signingKey());
    const merchantAccount = await tokens.accountOf(request);
    const { route: found, ids } = findRoute(request);
    const call = await readCall(deps, request, { merchantAccount, takesForm: found.takesForm }, signal);
    return found.operation(tools, call, ...ids);
  };
  return {
    async handle(request, signal) {
      try {
        return await answer(request, signal);
      } catch (error) {
        if (error instanceof Refusal) return refusalResponse(error, generateDebugId(deps));
        throw error;
      }
    },
  };
}
