import type { Provider, SavedMethodType } from '@till/contract';
import type { RecurringModel } from '../processors/port/instruments.ts';
import { bytes, int, keyColumns, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';

/** A nullable column is null on a wallet, or if the processor never reported the value. */
export const paymentMethodColumns = {
  ...keyColumns,
  customer_id: text,
  type: oneOf<SavedMethodType>(),
  brand: nullable(text),
  bin: nullable(text),
  last4: nullable(text),
  exp_month: nullable(int),
  exp_year: nullable(int),
  recurring_processing_model: oneOf<RecurringModel>(),
  provider: oneOf<Provider>(),
  /** The upstream's token, sealed (vault/vault.ts). */
  token: bytes,
  key_version: int,
  upstream_customer: nullable(text),
  network_transaction_reference: nullable(text),
  /** The merchant account at the processor that keeps it (`HasProcessorIdentity`). */
  processor_identity: nullable(text),
  /** The latest payment that saved it. */
  saved_by: text,
  /** When the upstream reported that it must not be charged again. Account time, like the other times. */
  gone_at: nullable(time),
  removed_at: nullable(time),
  created_at: time,
} as const;

/** A saved card or wallet as the database keeps it. */
export type PaymentMethodRow = RowOf<typeof paymentMethodColumns>;
