import { type JsonObject, objectIn } from '../../lib/json.ts';
import { invalid } from './errors.ts';

/** Adyen Checkout API v71, PaymentRequest.recurringProcessingModel. */
export type RecurringModel = 'CardOnFile' | 'Subscription' | 'UnscheduledCardOnFile';

/** Says that a payment stores its card, and for which kind of charges. */
export interface Saving {
  readonly shopperReference: string;
  readonly model: RecurringModel;
}

/** How a stored card is charged. */
export interface StoredCharge extends Saving {
  /** Whether the shopper is absent, so that nobody can answer a challenge. */
  readonly merchantInitiated: boolean;
}

function readShopper(body: JsonObject): string {
  const { shopperReference } = body;
  if (typeof shopperReference !== 'string' || shopperReference.length < 3 || shopperReference.length > 256) {
    throw invalid('14_018', 'Field shopperReference is not valid.');
  }
  return shopperReference;
}

function readModel(body: JsonObject): RecurringModel {
  const model = body.recurringProcessingModel;
  if (model === 'CardOnFile' || model === 'Subscription' || model === 'UnscheduledCardOnFile') return model;
  throw invalid('14_018', 'Field recurringProcessingModel is not valid.');
}

/** Reads whether and how to store the card (Adyen Checkout API v71, PaymentRequest.storePaymentMethod). */
export function readSaving(body: JsonObject): Saving | undefined {
  if (body.storePaymentMethod !== true) return undefined;
  // Adyen treats a missing interaction as Ecommerce.
  if (body.shopperInteraction !== undefined && body.shopperInteraction !== 'Ecommerce') {
    throw invalid('14_018', 'Field shopperInteraction is not valid.');
  }
  return { shopperReference: readShopper(body), model: readModel(body) };
}

/** Returns the token of the stored card to charge, or undefined if the request contains a card. */
export function storedTokenOf(body: JsonObject): string | undefined {
  const { storedPaymentMethodId } = objectIn(body, 'paymentMethod');
  return typeof storedPaymentMethodId === 'string' ? storedPaymentMethodId : undefined;
}

/**
 * Reads how to charge a stored card (Adyen docs, "Make a payment with stored details").
 * @throws ServiceRefusal for an invalid request
 */
export function readStoredCharge(body: JsonObject): StoredCharge {
  const shopperReference = readShopper(body);
  const model = readModel(body);
  const { shopperInteraction } = body;
  const shopperIsThere = shopperInteraction === 'Ecommerce' || model === 'CardOnFile';
  if (shopperInteraction !== 'ContAuth' && shopperInteraction !== 'Ecommerce') {
    throw invalid('14_018', 'Field shopperInteraction is not valid.');
  }
  return { shopperReference, model, merchantInitiated: !shopperIsThere };
}
