// Made from the contract by `npm run generate`; do not change it by hand.

export interface ClientToken {
  object: 'client_token';
  client_token: string;
  /** The processor's public id of the account, for its script. */
  client_id: string;
  provider: 'processor_b';
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
