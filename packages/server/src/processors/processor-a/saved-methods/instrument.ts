import type { RecurringModel, StoredInstrument } from '../../port/instruments.ts';
import type { Card, ChargeRequest } from '../../port/port.ts';

type UpstreamModel = 'CardOnFile' | 'Subscription' | 'UnscheduledCardOnFile';

type PaymentMethod =
  | {
      readonly type: 'scheme';
      readonly number: string;
      readonly expiryMonth: string;
      readonly expiryYear: string;
      readonly cvc: string;
      readonly holderName: string;
    }
  | { readonly type: 'scheme'; readonly storedPaymentMethodId: string };

/**
 * The members of a payment request that state the payment method, who initiated the payment and whether the method is saved.
 */
export interface InstrumentMembers {
  readonly paymentMethod: PaymentMethod;
  readonly shopperInteraction: 'Ecommerce' | 'ContAuth';
  readonly storePaymentMethod?: true | undefined;
  readonly recurringProcessingModel?: UpstreamModel | undefined;
}

const savingModels: Readonly<Record<RecurringModel, UpstreamModel>> = {
  card_on_file: 'CardOnFile',
  subscription: 'Subscription',
  unscheduled_card_on_file: 'UnscheduledCardOnFile',
};

/** Whether the charge is made without the buyer, so that no challenge is possible. */
export const isOffSession = ({ instrument }: Pick<ChargeRequest, 'instrument'>): boolean =>
  instrument.kind === 'stored' && instrument.initiator === 'merchant';

/**
 * Members for a typed card, which is saved if that was requested, or for a stored one (Adyen API, `POST /payments`; Adyen
 * docs, "Tokenization").
 * @throws Error for an instrument or capture method that this processor does not offer, or if a card is saved or charged
 * again without a buyer who owns it
 */
export function instrumentMembers(request: ChargeRequest): InstrumentMembers {
  const { instrument, captureMethod, save, buyer } = request;
  const offered =
    instrument.kind === 'card' || (instrument.kind === 'stored' && instrument.method === 'card');
  if (!offered || captureMethod !== 'automatic') {
    throw new Error(`processor_a offers no ${instrument.kind} with ${captureMethod} capture`);
  }
  if ((save || instrument.kind === 'stored') && buyer === null) {
    throw new Error('processor_a stores cards of named buyers only');
  }
  if (instrument.kind === 'stored') {
    return {
      paymentMethod: { type: 'scheme', storedPaymentMethodId: instrument.token },
      shopperInteraction: 'ContAuth',
      recurringProcessingModel: chargingModel(instrument),
    };
  }
  return {
    paymentMethod: typedCard(instrument.card),
    shopperInteraction: 'Ecommerce',
    storePaymentMethod: save ? true : undefined,
    recurringProcessingModel: save ? savingModels[save.model] : undefined,
  };
}

/**
 * `CardOnFile` states that the buyer is present, for whatever purpose the card was saved. The upstream refuses it if the
 * buyer is absent.
 */
function chargingModel({ initiator, model }: StoredInstrument): UpstreamModel {
  if (initiator === 'customer') return 'CardOnFile';
  return model === 'subscription' ? 'Subscription' : 'UnscheduledCardOnFile';
}

const typedCard = (card: Card): PaymentMethod => ({
  type: 'scheme',
  number: card.number,
  expiryMonth: String(card.expMonth).padStart(2, '0'),
  expiryYear: String(card.expYear),
  cvc: card.cvc,
  holderName: card.holderName,
});
