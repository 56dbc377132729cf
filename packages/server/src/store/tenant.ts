declare const numbered: unique symbol;

/** The number of an account in one mode, used in rows, keys, indexes and policies. It can only come from a database row. */
export type TenantId = number & { readonly [numbered]: true };

/** Belongs to a tenant: a row, or the tenant itself. */
export interface OfTenant {
  readonly tenant: TenantId;
}

/** An account in one mode, to restrict which rows a statement reads or writes. It comes from authentication or from `tenants`. */
export interface Tenant extends OfTenant {
  readonly accountId: string;
  readonly livemode: boolean;
}
