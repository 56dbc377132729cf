import type { Address, PaymentCreate } from '@till/contract';
import type { Buyer } from '../processors/port/port.ts';
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

/**
 * The data of an existing customer as the first attempt sent them. They are stored, since the customer may change before the
 * charge is repeated: the upstream could refuse a repeated key with another body.
 */
export interface SentCustomer {
  readonly addresses: TransactionAddresses;
  readonly buyer: Omit<Buyer, 'id'>;
  /** The upstream's own id of the customer; null if none was sent. */
  readonly upstreamCustomer: string | null;
}

/** The create request without the card's number, security code and expiry, and what the first attempt sent beside it. */
export type StoredRequest = PaymentCreate & {
  readonly client: ClientInfo;
  /** Absent if the payment has no customer, or if the customer was created with it: then they follow from the request. */
  readonly sentCustomer?: SentCustomer;
};

/** The request as it is stored, also without what columns of the payment say. It is written twice for each payment. */
export type KeptRequest = Omit<PaymentCreate, 'amount' | 'currency' | 'reference'> & {
  readonly client?: Partial<ClientInfo>;
  readonly sent?: KeptCustomer;
};

/** The data of a customer as they are stored: members that are null are left out. */
interface KeptCustomer {
  readonly billing?: Address;
  readonly delivery?: Address;
  readonly buyer: Pick<Buyer, 'email'> & Partial<SentCustomer['buyer']>;
  readonly upstreamCustomer?: string;
}

const nothingKnown: ClientInfo = { ip: null, userAgent: null, accept: null };
const noDetails = { name: null, phone: null, locale: null, dateOfBirth: null };

/** The part of a request that is stored. @param sent null: the data of the customer follow from the request */
export function keptRequest(
  request: PaymentCreate,
  client: ClientInfo,
  sent: SentCustomer | null,
): KeptRequest {
  const {
    amount: _amount,
    currency: _currency,
    reference: _reference,
    payment_method: method,
    ...rest
  } = request;
  const known = withoutNulls(client);
  return {
    ...rest,
    ...(method === undefined ? {} : { payment_method: withoutCardData(method) }),
    ...(sent === null ? {} : { sent: keptCustomer(sent) }),
    ...(Object.keys(known).length === 0 ? {} : { client: known }),
  };
}

const keptCustomer = ({ addresses, buyer, upstreamCustomer }: SentCustomer): KeptCustomer => ({
  ...withoutNulls({ ...addresses, upstreamCustomer }),
  buyer: { ...withoutNulls(buyer), email: buyer.email },
});

const sentCustomer = ({ billing, delivery, buyer, upstreamCustomer }: KeptCustomer): SentCustomer => ({
  addresses: { billing: billing ?? null, delivery: delivery ?? null },
  buyer: { ...noDetails, ...buyer },
  upstreamCustomer: upstreamCustomer ?? null,
});

/** The members that are not null. */
const withoutNulls = <T extends object>(object: T) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };

function withoutCardData(method: NonNullable<PaymentCreate['payment_method']>) {
  const { number: _number, cvc: _cvc, exp_month: _month, exp_year: _year, ...kept } = method;
  return kept;
}

/** Rebuilds the request of a payment from its stored part. */
export const storedRequest = (
  { sent, client, ...kept }: KeptRequest,
  { amount, currency, reference }: Pick<PaymentRow, 'amount' | 'currency' | 'reference'>,
): StoredRequest => ({
  ...kept,
  amount,
  currency,
  ...(reference === null ? {} : { reference }),
  client: { ...nothingKnown, ...client },
  ...(sent === undefined ? {} : { sentCustomer: sentCustomer(sent) }),
});
