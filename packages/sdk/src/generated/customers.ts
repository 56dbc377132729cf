// Made from the contract by `npm run generate`; do not change it by hand.

export interface Customer {
  id: string;
  object: 'customer';
  email: string;
  name: string | null;
  phone: string | null;
  locale: string | null;
  external_id: string | null;
  billing_address: Address | null;
  delivery_address: Address | null;
  date_of_birth: string | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface Address {
  line1?: string | undefined;
  line2?: string | undefined;
  city?: string | undefined;
  postal_code?: string | undefined;
  /** Postal abbreviation (ISO 3166-2 subdivision code). */
  state?: string | undefined;
  /** ISO 3166-1 alpha-2 code in uppercase. */
  country?: string | undefined;
}

/** String-to-string map for your own use. */
export type Metadata = Record<string, string>;

export interface CustomerCreate {
  /** Unique per account and mode, compared case-insensitively. */
  email: string;
  /** Full name, for receipts. */
  name?: string | undefined;
  /** E.164 recommended; not validated. */
  phone?: string | undefined;
  /**
   * A language tag (BCP 47) such as `en`, `en-GB`, `es-419` or `zh-Hans-CN`. Pages use the nearest
   * language that they have.
   */
  locale?: string | undefined;
  external_id?: string | undefined;
  billing_address?: Address | undefined;
  delivery_address?: Address | undefined;
  /** A date `YYYY-MM-DD` that is not in the future. */
  date_of_birth?: string | undefined;
  /** Up to 20 keys of at most 40 characters; values of at most 500 characters. */
  metadata?: CustomerMetadata | undefined;
}

/** Up to 20 keys of at most 40 characters; values of at most 500 characters. */
export type CustomerMetadata = Record<string, string>;

export interface CustomerUpdate {
  /** Unique per account and mode, compared case-insensitively. */
  email?: string | undefined;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  external_id?: string | null | undefined;
  billing_address?: Address | null | undefined;
  delivery_address?: Address | null | undefined;
  date_of_birth?: string | null | undefined;
  /** Up to 20 keys of at most 40 characters; values of at most 500 characters. */
  metadata?: CustomerMetadata | undefined;
}

export interface CustomerList {
  object: 'list';
  data: Customer[];
  has_more: boolean;
  total_count: number;
}

export interface CustomerListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
  /** Exact match, case-insensitive. */
  email?: string | undefined;
}
