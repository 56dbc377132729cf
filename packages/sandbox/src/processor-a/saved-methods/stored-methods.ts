import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { jsonResponse, type WireResponse } from '../../lib/wire.ts';
import { brandNames } from '../authorisation/authorise.ts';
import { invalid, ServiceRefusal } from '../authorisation/errors.ts';
import { type Instrument, listInstruments, removeInstrument } from '../authorisation/instruments.ts';

/** The query of a request about a shopper's stored cards, which has no body. */
export interface ShopperCall {
  readonly merchantAccount: string;
  readonly shopperReference: string;
}

/**
 * Reads the query of `GET` and `DELETE /storedPaymentMethods` (Adyen Checkout API v71).
 * @throws ServiceRefusal if a parameter is missing
 */
export function readShopperCall(query: URLSearchParams): ShopperCall {
  const merchantAccount = query.get('merchantAccount') ?? '';
  if (merchantAccount === '') throw new ServiceRefusal(403, '901', 'Invalid Merchant Account', 'security');
  const shopperReference = query.get('shopperReference') ?? '';
  if (shopperReference === '') throw invalid('14_018', 'Field shopperReference is not valid.');
  return { merchantAccount, shopperReference };
}

/** Adyen Checkout API v71, StoredPaymentMethod. */
export function storedMethod({ token, facts }: Instrument) {
  const { brand, card, holderName, model, networkTxReference } = facts;
  return {
    id: token,
    type: 'scheme',
    brand: brandNames[brand],
    lastFour: card.last4,
    expiryMonth: String(card.expiryMonth).padStart(2, '0'),
    expiryYear: String(card.expiryYear % 100).padStart(2, '0'),
    holderName,
    networkTxReference,
    supportedRecurringProcessingModels: [model],
  };
}

/** Adyen Checkout API v71, StoredPaymentMethodResource. */
const present = (instrument: Instrument) => ({
  ...storedMethod(instrument),
  cardBin: instrument.facts.card.bin,
  shopperReference: instrument.shopper,
});

/** `GET /storedPaymentMethods` (Adyen Checkout API v71): lists the cards of one shopper. */
export function createListStored(deps: SandboxDependencies): (call: ShopperCall) => Promise<WireResponse> {
  return async ({ merchantAccount, shopperReference }) => {
    const instruments = await listInstruments(deps.database, merchantAccount, shopperReference);
    const storedPaymentMethods = instruments.map(present);
    return jsonResponse(200, JSON.stringify({ merchantAccount, shopperReference, storedPaymentMethods }));
  };
}

/** `DELETE /storedPaymentMethods/{id}` (Adyen Checkout API v71): removes one of a shopper's cards. */
export function createRemoveStored(
  deps: SandboxDependencies,
): (call: ShopperCall, token: string) => Promise<WireResponse> {
  return async ({ merchantAccount, shopperReference: shopper }, token) => {
    const now = await deps.now(merchantAccount);
    const removed = await removeInstrument(deps.database, merchantAccount, { token, shopper }, now);
    if (!removed) throw new ServiceRefusal(404, '803', 'PaymentDetail not found');
    return { status: 204, headers: {}, body: Buffer.alloc(0) };
  };
}
