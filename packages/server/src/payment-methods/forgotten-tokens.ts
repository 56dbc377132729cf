import type { Lease } from '../operations/operation.ts';
import { endOperations, insertOperations, intentColumns, isOperationOpen } from '../operations/sql.ts';
import { cte, keyColumns, time } from '../store/columns.ts';
import { brokenConstraint, type Queryable } from '../store/database.ts';
import type { OfTenant } from '../store/tenant.ts';

/**
 * Records that the upstream no longer has this token: no customer can be charged with it, and nothing is left to remove there.
 * The record stays, for late answers to payments that were begun before.
 * @param sender identity of the merchant account that forgot the token; null: not known
 * @param at account time
 */
export async function forgetToken(
  db: Queryable,
  tenant: OfTenant,
  {
    tokenName,
    sender,
    at,
  }: { readonly tokenName: Buffer; readonly sender: string | null; readonly at: Date },
): Promise<void> {
  await db.query({
    name: 'forget_payment_methods',
    text: `with gone as (
             update payment_methods set gone_at = coalesce(gone_at, $3)
             where tenant = $1 and token_name = $2
               and ($4::text is null or processor_identity is null or processor_identity = $4)
             returning tenant, id),
           ${endOperations(cte('gone', keyColumns), `o.kind = 'remove'`)}
           insert into forgotten_tokens as f (tenant, token_name, processor_identity, forgotten_at) values ($1, $2, $4, $3)
           on conflict (tenant, token_name) do update
             set processor_identity = excluded.processor_identity,
               forgotten_at = greatest(f.forgotten_at, excluded.forgotten_at)`,
    values: [tenant.tenant, tokenName, at, sender],
    scope: tenant,
  });
}

/**
 * Begins another removal of a token that the customer removed before, since a payment may have saved it at the upstream again.
 * @param request `lease` is over already, so that recovery asks the upstream; `at` is account time
 * @returns false if the customer removed no method with this token
 */
export async function removeTokenAgain(
  db: Queryable,
  tenant: OfTenant,
  request: {
    readonly customerId: string;
    readonly tokenName: Buffer;
    /** The payment that saved it. It makes the upstream key unique: to the first key the upstream may repeat its first answer. */
    readonly savedBy: string;
    readonly lease: Lease;
    readonly at: Date;
  },
): Promise<boolean> {
  const statement = {
    name: 'remove_token_again',
    text: `with removed as (
             select tenant, id from payment_methods
             where tenant = $1 and customer_id = $2 and token_name = $3 and removed_at is not null
             order by removed_at desc, id desc limit 1),
           asked as (
             select tenant, id, id || ':r:' || $7 as upstream_key, $4::bigint as lease_owner, $5::timestamptz as lease_until,
               $6::timestamptz as created_at
             from removed r where not ${isOperationOpen('r')}),
           ${insertOperations(cte('asked', { ...keyColumns, created_at: time, ...intentColumns }), `'remove'`)}
           select 1 from removed`,
    values: [
      tenant.tenant,
      request.customerId,
      request.tokenName,
      request.lease.owner,
      request.lease.until,
      request.at,
      request.savedBy,
    ],
    scope: tenant,
  };
  try {
    return (await db.query(statement)).length > 0;
  } catch (error) {
    // Another request has just begun the same removal.
    if (brokenConstraint(error) === 'operations_pkey') return true;
    throw error;
  }
}
