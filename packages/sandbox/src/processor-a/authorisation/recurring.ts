import { type JsonObject, objectIn } from '../../lib/json.ts';
import { invalid } from './errors.ts';

/** Adyen Checkout API v71, PaymentRequest.recurringProcessingModel. */
export type RecurringModel = 'CardOnFile' | 'Subscription' | 'UnscheduledCardOnFile';

/** That and for what a payment's card is to be stored. */
export interface Saving {
  readonly shopperReference: string;
  readonly model: RecurringModel;
}

/** How a stored card is charged. */
export interface StoredCharge extends Saving {
  /** The shopper is not there, so that nobody could answer a challenge. */
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

/** Whether and how the card is to be stored (Adyen Checkout API v71, PaymentRequest.storePaymentMethod). */
export function readSaving(body: JsonObject): Saving | undefined {
  if (body.storePaymentMethod !== true) return undefined;
  // Upstream takes an absent interaction as Ecommerce.
  if (body.shopperInteraction !== undefined && body.shopperInteraction !== 'Ecommerce') {
    throw invalid('14_018', 'Field shopperInteraction is not valid.');
  }
  return { shopperReference: readShopper(body), model: readModel(body) };
}

/** The token of the stored card that is to be charged; undefined where the request brings a card. */
export function storedTokenOf(body: JsonObject): string | undefined {
  const { storedPaymentMethodId } = objectIn(body, 'paymentMethod');
  return typeof storedPaymentMethodId === 'string' ? storedPaymentMethodId : undefined;
}

/** Reads how a stored card is charged (Adyen docs, "Make a payment with stored details"), or refuses. */
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
