import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { jsonResponse, type WireResponse } from '../../lib/wire.ts';
import { brandNames } from '../authorisation/authorise.ts';
import { listInstruments } from '../authorisation/instruments.ts';
import type { Call } from '../payments/call.ts';
import { storedMethod } from './stored-methods.ts';

const named = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * `POST /paymentMethods` (Adyen Checkout API v71): lists cards, the only method that this merchant account
 * offers, and the stored cards of the given shopper.
 */
export function createPaymentMethods(deps: SandboxDependencies): (call: Call) => Promise<WireResponse> {
  return async ({ merchantAccount, body }) => {
    const { shopperReference, allowedPaymentMethods, blockedPaymentMethods } = body;
    const isOffered =
      !named(blockedPaymentMethods).includes('scheme') &&
      (allowedPaymentMethods === undefined || named(allowedPaymentMethods).includes('scheme'));
    const stored =
      typeof shopperReference === 'string' && isOffered
        ? await listInstruments(deps.database, merchantAccount, shopperReference)
        : [];
    const answer = {
      paymentMethods: isOffered ? [{ type: 'scheme', name: 'Cards', brands: Object.values(brandNames) }] : [],
      ...(stored.length === 0 ? {} : { storedPaymentMethods: stored.map(storedMethod) }),
    };
    return jsonResponse(200, JSON.stringify(answer));
  };
}
