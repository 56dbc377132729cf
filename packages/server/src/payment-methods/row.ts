import type { Provider, SavedMethodType } from '@till/contract';
import type { RecurringModel } from '../processors/port/instruments.ts';

/** A saved card or wallet as it is stored; what may be null is so on wallets, or was never told. */
export interface PaymentMethodRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly customer_id: string;
  readonly type: SavedMethodType;
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly recurring_processing_model: RecurringModel;
  readonly provider: Provider;
  /** The upstream's token, sealed (vault/vault.ts). */
  readonly token: Buffer;
  readonly key_version: number;
  readonly upstream_customer: string | null;
  readonly network_transaction_reference: string | null;
  /** Which merchant account at the processor keeps it (`MadeAtProcessor`). */
  readonly processor_identity: string | null;
  /** The latest payment that saved it. */
  readonly saved_by: string;
  /** The upstream said that it must not be charged again. Account time, like the others. */
  readonly gone_at: Date | null;
  readonly removed_at: Date | null;
  readonly created_at: Date;
}
