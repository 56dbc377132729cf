import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { readDocument, replaceDocument } from '../../lib/documents.ts';
import { databaseJson, isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { withQuery } from '../../lib/return-url.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, respondAgain, respondFresh, type Tools } from '../call/call.ts';
import { payPalCustomerId, sandboxBuyer, setupTokenId } from '../model/identities.ts';
import type { InstrumentFacts } from '../model/instruments.ts';
import { internetTime } from '../model/order.ts';
import { knownCard } from '../orders/order-request.ts';
import { readPaymentSource } from '../orders/payment-source.ts';
import type { View } from '../present/present.ts';
import { sourceOf } from '../present/present-token.ts';
import { malformed, unknownResource, unprocessable } from '../wire/errors.ts';
import { optionalText, requiredObject } from '../wire/fields.ts';

/** Cards and wallets that are saved without a payment (PayPal Vault v3, setup tokens). */

/** How long a setup token can be exchanged for a payment token: three days. */
const lifetimeMs = 72 * 60 * 60 * 1000;

/** A setup token as it is stored. */
export interface SetupToken {
  readonly id: string;
  readonly merchantAccount: string;
  /**
   * A card is approved at once, since 3-D Secure happens when it is charged. A wallet waits for its buyer.
   */
  readonly status: 'APPROVED' | 'PAYER_ACTION_REQUIRED';
  readonly customerId: string;
  /** The merchant's own id of the customer. */
  readonly shopper: string;
  readonly facts: InstrumentFacts;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly brandName: string | null;
  /** What the buyer did last. */
  readonly buyer: BuyerOutcome | null;
  readonly createdAt: string;
}

export type SetupDependencies = Pick<SandboxDependencies, 'database' | 'now'>;

function readCustomer(body: JsonObject, merchantAccount: string, otherwise: string) {
  const customer = objectIn(body, 'customer');
  const id = optionalText(customer.id, '/customer/id', 22);
  const own = optionalText(customer.merchant_customer_id, '/customer/merchant_customer_id', 64);
  if (id !== null && !/^[\w-]+$/.test(id)) throw malformed('INVALID_PARAMETER_SYNTAX', '/customer/id');
  const customerId = id ?? payPalCustomerId(merchantAccount, own ?? otherwise);
  return { customerId, shopper: own ?? customerId };
}

function readRequest({ body, merchantAccount, now }: Call, id: string): SetupToken {
  requiredObject(body.payment_source, '/payment_source');
  const context = { merchantAccount, orderId: id, directive: null, now, instrument: null };
  const source = readPaymentSource(body, context);
  const card = knownCard(source);
  if (source.origin !== 'wallet' && card === null) {
    throw unprocessable('CARD_NUMBER_REQUIRED', '/payment_source/card/number');
  }
  const { returnUrl, cancelUrl, brandName } = source;
  const at = '/payment_source/paypal/experience_context';
  if (card === null && returnUrl === null) throw malformed('MISSING_REQUIRED_PARAMETER', `${at}/return_url`);
  if (card === null && cancelUrl === null) throw malformed('MISSING_REQUIRED_PARAMETER', `${at}/cancel_url`);
  return {
    id,
    merchantAccount,
    status: card === null ? 'PAYER_ACTION_REQUIRED' : 'APPROVED',
    ...readCustomer(body, merchantAccount, id),
    facts:
      card === null
        ? { processor: 'processor_b', wallet: sandboxBuyer.account_id, directive: null }
        : {
            processor: 'processor_b',
            card: { ...card, stoppedBy: null, challenge: null, cvvCode: 'X' },
            directive: null,
          },
    returnUrl,
    cancelUrl,
    brandName,
    buyer: null,
    createdAt: internetTime(now),
  };
}

/** The response body of a setup token (PayPal Vault v3, setup_token_response). */
function show(token: SetupToken, view: View): JsonObject {
  const { id, customerId, status, facts } = token;
  const links = [
    { href: `${view.api}/v3/vault/setup-tokens/${id}`, rel: 'self', method: 'GET' },
    status === 'APPROVED'
      ? { href: `${view.api}/v3/vault/payment-tokens`, rel: 'confirm', method: 'POST' }
      : { href: `${view.pages}/sandbox/processor-b/approve/${id}`, rel: 'approve', method: 'GET' },
  ];
  // The wallet's owner is only shown once the buyer has approved.
  const payment_source = status === 'APPROVED' ? sourceOf(facts) : { paypal: {} };
  return { id, customer: { id: customerId }, status, payment_source, links };
}

async function readToken({ database }: SetupDependencies, id: string): Promise<SetupToken | null> {
  const kept = await readDocument(database, 'setup_token', id, null);
  return kept === null ? null : (kept.body as SetupToken);
}

const hasExpired = ({ createdAt }: SetupToken, now: Date) =>
  now.getTime() > Date.parse(createdAt) + lifetimeMs;

/** Finds a usable setup token of the account. Returns null if there is none or it has expired. */
export async function findSetupToken(
  deps: SetupDependencies,
  id: string,
  merchantAccount?: string,
): Promise<SetupToken | null> {
  const token = await readToken(deps, id);
  if (token === null || (merchantAccount !== undefined && token.merchantAccount !== merchantAccount)) {
    return null;
  }
  return hasExpired(token, await deps.now(token.merchantAccount)) ? null : token;
}

/**
 * `POST /v3/vault/setup-tokens`. The token's id is derived from the request id, so that a retry finds the
 * same token for as long as that is usable. Afterwards the request id makes a new one.
 */
export async function createSetupToken(tools: Tools, call: Call): Promise<WireResponse> {
  const { merchantAccount, requestId, now, view } = call;
  if (requestId === null) throw malformed('MISSING_REQUIRED_PARAMETER', 'PayPal-Request-Id');
  const token = readRequest(call, setupTokenId(merchantAccount, requestId));
  const document = { kind: 'setup_token', id: token.id, merchantAccount, body: token, at: now } as const;
  const isNew = await replaceDocument(tools.deps.database, document, lifetimeMs);
  if (isNew) return respondFresh(tools, { status: 201, body: JSON.stringify(show(token, view)) });
  const known = await findSetupToken(tools.deps, token.id, merchantAccount);
  if (known === null) throw unknownResource();
  return respondAgain(tools, { status: 201, body: JSON.stringify(show(known, view)) });
}

/** `GET /v3/vault/setup-tokens/{id}`. */
export async function getSetupToken(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const token = await findSetupToken(tools.deps, id, call.merchantAccount);
  if (token === null) throw unknownResource();
  return respondFresh(tools, { status: 200, body: JSON.stringify(show(token, call.view)) });
}

/** Returns where the page sends the browser after the buyer's last answer. Null before the first answer. */
export function returnOfSetup({
  id,
  buyer,
  returnUrl,
  cancelUrl,
}: SetupToken): { readonly returnUrl: string } | null {
  const target = buyer === 'approved' ? returnUrl : cancelUrl;
  if (buyer === null || target === null) return null;
  return { returnUrl: withQuery(target, { approval_token_id: id }) };
}

/**
 * Answers a setup token as the buyer's page does, and returns where the browser goes next. Null if there is
 * no such token.
 */
export async function resolveSetupToken(
  deps: SetupDependencies,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  const token = await findSetupToken(deps, id);
  if (token === null) return null;
  const answered: SetupToken = {
    ...token,
    buyer: outcome,
    status: outcome === 'approved' ? 'APPROVED' : 'PAYER_ACTION_REQUIRED',
  };
  await deps.database.query(
    `update sandbox.documents set body = $2
     where kind = 'setup_token' and id = $1 and body ->> 'status' = 'PAYER_ACTION_REQUIRED'`,
    [id, databaseJson(answered)],
  );
  const now = await readToken(deps, id);
  return now === null ? null : returnOfSetup(now);
}

/** Reads the id of the setup token in a request for a payment token (PayPal Vault v3, token_id_request). */
export function readSetupTokenId(body: JsonObject): string {
  const { token } = requiredObject(body.payment_source, '/payment_source');
  if (!isObject(token)) throw malformed('MISSING_REQUIRED_PARAMETER', '/payment_source/token');
  if (token.type !== 'SETUP_TOKEN') throw malformed('INVALID_PARAMETER_VALUE', '/payment_source/token/type');
  const id = optionalText(token.id, '/payment_source/token/id', 36);
  if (id === null) throw malformed('MISSING_REQUIRED_PARAMETER', '/payment_source/token/id');
  return id;
}
