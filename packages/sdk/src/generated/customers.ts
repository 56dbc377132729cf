// Made from the contract by `npm run generate`; do not change it by hand.

export interface Customer {
  /** `cus_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `customer`. */
  object: 'customer';
  /** As you sent it. */
  email: string;
  /** Full name, for receipts. */
  name: string | null;
  /** As you sent it. */
  phone: string | null;
  /** Language tag (BCP 47): the language of pages and mails. */
  locale: string | null;
  /** Your own id of the customer. */
  external_id: string | null;
  /** Verifies cards, unless a payment sends its own. */
  billing_address: Address | null;
  /** Where you deliver, unless a payment sends its own. */
  delivery_address: Address | null;
  /** `YYYY-MM-DD`. */
  date_of_birth: string | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

/** Postal address. Every field is optional. */
export interface Address {
  /** Street, with the house number where `line2` does not hold it. */
  line1?: string | undefined;
  /** House number, or what else the address needs; sent on as the house number. */
  line2?: string | undefined;
  /** City or town. */
  city?: string | undefined;
  /** Postal or ZIP code. */
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
  /** Your own id of the customer, unique per account and mode. */
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
  /** Full name, for receipts; null clears it. */
  name?: string | null | undefined;
  /** E.164 recommended; not validated. Null clears it. */
  phone?: string | null | undefined;
  /** A language tag (BCP 47) such as `en` or `en-GB`; null clears it. */
  locale?: string | null | undefined;
  /** Your own id of the customer, unique per account and mode; null clears it. */
  external_id?: string | null | undefined;
  /** Takes the place of the whole address; null clears it. */
  billing_address?: Address | null | undefined;
  /** Takes the place of the whole address; null clears it. */
  delivery_address?: Address | null | undefined;
  /** A date `YYYY-MM-DD` that is not in the future; null clears it. */
  date_of_birth?: string | null | undefined;
  /**
   * Takes the place of the whole map, keys that are left out included; `{}` clears it. Up to 20
   * keys of at most 40 characters; values of at most 500 characters.
   */
  metadata?: CustomerMetadata | undefined;
}

export interface CustomerList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Customer[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface CustomerListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /** Exact match, case-insensitive. */
  email?: string | undefined;
}
