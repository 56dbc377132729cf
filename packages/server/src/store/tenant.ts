declare const numbered: unique symbol;

/** The number of an account in one mode, as rows, keys, indexes and policies have it. Only a row of the database gives one. */
export type TenantId = number & { readonly [numbered]: true };

/** What belongs to a tenant: a row, or the tenant itself. */
export interface OfTenant {
  readonly tenant: TenantId;
}

/** An account in one mode: whose rows a statement reads or writes. Authentication makes one, or a row of `tenants`. */
export interface Tenant extends OfTenant {
  readonly accountId: string;
  readonly livemode: boolean;
}
