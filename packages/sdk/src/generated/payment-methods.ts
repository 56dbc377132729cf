// Made from the contract by `npm run generate`; do not change it by hand.
import type { Provider } from './payment-create.ts';

export interface PaymentMethodList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: PaymentMethod[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface PaymentMethod {
  /** `pm_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payment_method`. */
  object: 'payment_method';
  /** A card, or the wallet (`processor_b`). */
  type: 'card' | 'processor_b';
  /** The `cus_` id of whom it belongs to. */
  customer: string;
  /** In lower case, such as `visa`; null for a wallet, as the next four. */
  brand: string | null;
  /** Last four digits of the card. */
  last4: string | null;
  /** First six digits of the card. */
  bin: string | null;
  /** 1 to 12. */
  exp_month: number | null;
  /** Four digits. */
  exp_year: number | null;
  /** What it is kept for, as its latest save said; charges take it over. */
  recurring_processing_model: 'card_on_file' | 'subscription' | 'unscheduled_card_on_file';
  /** The account's processor. */
  provider: Provider;
  /** `expired`: its last month is over, or its issuer or the buyer revoked it. */
  status: 'active' | 'expired';
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface PaymentMethodListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
}

export interface DeletedPaymentMethod {
  /** `pm_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payment_method`. */
  object: 'payment_method';
  /** Always true. */
  deleted: true;
}

export interface ClientToken {
  /** Always `client_token`. */
  object: 'client_token';
  /** What the processor's script takes, in the buyer's browser. */
  client_token: string;
  /** The processor's public id of the account, for its script. */
  client_id: string;
  /** Whose script takes the token. */
  provider: 'processor_b';
  /** The `cus_` id that the request named. */
  customer: string | null;
  /** Unix seconds. */
  created: number;
  /** 15 minutes after it was made. */
  expires_at: string;
}

export interface ClientTokenCreate {
  /** A `cus_` id: offers what this customer has saved. */
  customer?: string | undefined;
  /** Sites that may use the token; any where none is named. */
  domains?: string[] | undefined;
}
