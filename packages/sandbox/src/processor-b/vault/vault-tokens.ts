import type { WireResponse } from '../../lib/wire.ts';
import { type Call, respondAgain, respondFresh, type Tools } from '../call/call.ts';
import { eventView, planEvent } from '../events/events.ts';
import { vaultToken } from '../model/identities.ts';
import {
  addInstrument,
  findInstrument,
  type Instrument,
  listInstruments,
  removeInstrument,
} from '../model/instruments.ts';
import { showToken } from '../present/present-token.ts';
import { malformed, unknownResource, unprocessable } from '../wire/errors.ts';
import { findSetupToken, readSetupTokenId } from './setup-tokens.ts';

/** Saved cards and wallets (PayPal Vault v3, payment tokens). */

const customerPattern = /^[\w-]{1,22}$/;
const maxPerPage = 20;

function readNumber(call: Call, name: string, max: number, otherwise: number): number {
  const text = call.query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > max) {
    throw malformed('INVALID_PARAMETER_VALUE', name);
  }
  return Number(text);
}

/** `GET /v3/vault/payment-tokens?customer_id=`. */
export async function listTokens(tools: Tools, call: Call): Promise<WireResponse> {
  const customerId = call.query.get('customer_id');
  if (customerId === null) throw malformed('MISSING_REQUIRED_PARAMETER', 'customer_id');
  if (!customerPattern.test(customerId)) throw malformed('INVALID_PARAMETER_SYNTAX', 'customer_id');
  const size = readNumber(call, 'page_size', maxPerPage, 5);
  const page = readNumber(call, 'page', 10, 1);
  const all = await listInstruments(tools.deps.database, call.merchantAccount, customerId, call.now);
  const shown = all.slice((page - 1) * size, page * size);
  const totals = { total_items: all.length, total_pages: Math.ceil(all.length / size) };
  const href = `${call.view.api}/v3/vault/payment-tokens?customer_id=${customerId}&page=${page}&page_size=${size}`;
  const body = {
    ...(call.query.get('total_required') === 'true' && all.length > 0 ? totals : {}),
    customer: { id: customerId },
    payment_tokens: shown.map((instrument) => showToken(instrument, call.view)),
    links: [{ href, rel: 'self', method: 'GET' }],
  };
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}

async function ownToken(tools: Tools, call: Call, token: string): Promise<Instrument> {
  const found = await findInstrument(tools.deps.database, call.merchantAccount, token, call.now);
  if (found === null || found.removed) throw unknownResource();
  return found;
}

/**
 * `POST /v3/vault/payment-tokens`: saves the card or wallet of an approved setup token. The same setup token
 * always results in the same payment token.
 */
export async function createToken(tools: Tools, call: Call): Promise<WireResponse> {
  const { merchantAccount, requestId, now } = call;
  if (requestId === null) throw malformed('MISSING_REQUIRED_PARAMETER', 'PayPal-Request-Id');
  const setup = await findSetupToken(tools.deps, readSetupTokenId(call.body), merchantAccount);
  if (setup === null) throw unprocessable('TOKEN_ID_NOT_FOUND', '/payment_source/token/id');
  if (setup.status !== 'APPROVED') {
    throw unprocessable('SETUP_TOKEN_NOT_APPROVED', '/payment_source/token/id');
  }
  const token = vaultToken(merchantAccount, `setup ${setup.id}`);
  const { shopper, customerId, facts } = setup;
  const instrument = { token, shopper, customerId, facts };
  const event = planEvent(merchantAccount, {
    type: 'VAULT.PAYMENT-TOKEN.CREATED',
    key: token,
    resource: showToken(instrument, eventView(now)),
    at: now,
  });
  const isNew = await addInstrument(tools.deps.database, merchantAccount, instrument, {
    now,
    events: [event],
  });
  const body = JSON.stringify(showToken(instrument, call.view));
  return isNew ? respondFresh(tools, { status: 201, body }) : respondAgain(tools, { status: 201, body });
}

/** `GET /v3/vault/payment-tokens/{id}`. */
export async function getToken(tools: Tools, call: Call, token: string): Promise<WireResponse> {
  const instrument = await ownToken(tools, call, token);
  return respondFresh(tools, { status: 200, body: JSON.stringify(showToken(instrument, call.view)) });
}

/** `DELETE /v3/vault/payment-tokens/{id}`: the token can no longer be charged. */
export async function deleteToken(tools: Tools, call: Call, token: string): Promise<WireResponse> {
  const { merchantAccount, now } = call;
  const instrument = await ownToken(tools, call, token);
  const event = planEvent(merchantAccount, {
    type: 'VAULT.PAYMENT-TOKEN.DELETED',
    key: token,
    resource: showToken(instrument, eventView(now)),
    at: now,
  });
  const removed = await removeInstrument(tools.deps.database, merchantAccount, {
    token,
    now,
    events: [event],
  });
  if (!removed) throw unknownResource();
  return respondFresh(tools, { status: 204, body: '' });
}
