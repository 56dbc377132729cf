// Made from the contract by `npm run generate`; do not change it by hand.
import type { Provider } from './payments.ts';

export interface PaymentMethodList {
  object: 'list';
  data: PaymentMethod[];
  has_more: boolean;
  total_count: number;
}

export interface PaymentMethod {
  id: string;
  object: 'payment_method';
  type: 'card' | 'processor_b';
  /** The `cus_` id of whom it belongs to. */
  customer: string;
  brand: string | null;
  last4: string | null;
  bin: string | null;
  exp_month: number | null;
  exp_year: number | null;
  recurring_processing_model: 'card_on_file' | 'subscription' | 'unscheduled_card_on_file';
  provider: Provider;
  /** `expired`: its last month is over, or its issuer or the buyer revoked it. */
  status: 'active' | 'expired';
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface PaymentMethodListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
}

export interface DeletedPaymentMethod {
  id: string;
  object: 'payment_method';
  deleted: true;
}
