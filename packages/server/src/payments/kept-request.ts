import type { Address, PaymentCreate } from '@till/contract';
import type { PaymentRow } from './payment.ts';

/** What the HTTP request reveals about the buyer's browser. */
export interface ClientInfo {
  /** Null unless the request came from a buyer on our own page. On any other call it would be the address of a server. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

/** The addresses of one transaction, as they go to the processor; null if none is sent. */
export interface TransactionAddresses {
  readonly billing: Address | null;
  readonly delivery: Address | null;
}

/** What goes to the processor beside the request. */
interface SentWith {
  readonly client: ClientInfo;
  /**
   * Stored for a payment with a customer, since the customer's addresses may change before the charge is repeated: the upstream
   * could refuse a repeated key with another body.
   */
  readonly addresses?: TransactionAddresses;
}

/** The create request without the card's number, security code and expiry. */
export type StoredRequest = PaymentCreate & SentWith;

/** The request as it is stored, also without what columns of the payment say. It is written twice for each payment. */
export type KeptRequest = Omit<PaymentCreate, 'amount' | 'currency' | 'reference'> &
  Pick<SentWith, 'addresses'> & { readonly client?: Partial<ClientInfo> };

const nothingKnown: ClientInfo = { ip: null, userAgent: null, accept: null };

/** The part of a request that is stored. */
export function keptRequest(request: PaymentCreate, { client, addresses }: SentWith): KeptRequest {
  const {
    amount: _amount,
    currency: _currency,
    reference: _reference,
    payment_method: method,
    ...rest
  } = request;
  const known = Object.entries(client).filter(([, value]) => value !== null);
  return {
    ...rest,
    ...(method === undefined ? {} : { payment_method: withoutCardData(method) }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(known.length === 0 ? {} : { client: Object.fromEntries(known) }),
  };
}

function withoutCardData(method: NonNullable<PaymentCreate['payment_method']>) {
  const { number: _number, cvc: _cvc, exp_month: _month, exp_year: _year, ...kept } = method;
  return kept;
}

/** Rebuilds the request of a payment from its stored part. */
export const storedRequest = (
  kept: KeptRequest,
  { amount, currency, reference }: Pick<PaymentRow, 'amount' | 'currency' | 'reference'>,
): StoredRequest => ({
  ...kept,
  amount,
  currency,
  ...(reference === null ? {} : { reference }),
  client: { ...nothingKnown, ...kept.client },
});
