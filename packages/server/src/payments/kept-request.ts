import type { Address, PaymentCreate } from '@till/contract';
import type { PaymentRow } from './payment.ts';

/** What the HTTP request itself says about the buyer's browser. */
export interface ClientInfo {
  /** Null unless the request came from a buyer on our own page: of any other call it is the address of a server. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

/** The addresses of one transaction, as they go to the processor; null where none is sent. */
export interface TransactionAddresses {
  readonly billing: Address | null;
  readonly delivery: Address | null;
}

/** What a request is sent on with. */
interface SentWith {
  readonly client: ClientInfo;
  /**
   * Of a payment with a customer, whose addresses may be changed before it is sent again: the upstream could refuse another body
   * before it looks the key up.
   */
  readonly addresses?: TransactionAddresses;
}

/** The request without card number, security code and expiry of the card. */
export type StoredRequest = PaymentCreate & SentWith;

/** The request as it is stored, twice for each payment: also without what columns of the payment say. */
export type KeptRequest = Omit<PaymentCreate, 'amount' | 'currency' | 'reference'> &
  Pick<SentWith, 'addresses'> & { readonly client?: Partial<ClientInfo> };

const nothingKnown: ClientInfo = { ip: null, userAgent: null, accept: null };

/** What is kept of a request. */
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

/** The request of a payment again. */
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
