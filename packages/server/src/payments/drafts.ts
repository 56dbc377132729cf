import { hasDraft } from '../operations/sql.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { listOf, typesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { type PaymentRow, paymentColumns } from './payment.ts';

/** SQL for the tenant's payments that have no answer yet, as rows with the columns of a payment. `$1` is the tenant. */
export const draftsOfTenant = `select ${listOf(paymentColumns, 'p')}
  from operations o cross join json_to_record(o.draft) as p (${typesOf(paymentColumns)})
  where o.tenant = $1 and ${hasDraft()}`;

/** SQL for the list numbers of payments that are not shown: without an answer, or discarded. `$1` is the tenant. */
export const numbersNotShown = `select seq from operations o where tenant = $1 and ${hasDraft()}
  union all select seq from discarded_payments where tenant = $1`;

const findStatement = {
  name: 'find_draft_of_payment',
  text: `select ${listOf(paymentColumns, 'p')} from (
           select draft from operations o where tenant = $1 and subject = $2 and ${hasDraft()}
           union all select draft from discarded_payments where tenant = $1 and id = $2) d
         cross join json_to_record(d.draft) as p (${typesOf(paymentColumns)})`,
};

/** A payment that has no answer yet, or that was discarded. */
export async function findDraft(db: Queryable, tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>({
    ...findStatement,
    values: [tenant.tenant, id],
    scope: tenant,
  });
  return row;
}

/** SQL for a draft with the ids of `$3`; those that it has stay. */
const noted = `(draft::jsonb || jsonb_build_object('upstream', $3::jsonb || (draft::jsonb -> 'upstream')))::json`;

/**
 * Keeps ids that the upstream sent outside of an answer; what is known already stays, except on a failed payment:
 * there only what was charged all the same is still of use, and has to be given back.
 */
export async function noteUpstream(db: Queryable, payment: PaymentRow, upstream: UpstreamIds): Promise<void> {
  const note = () =>
    db.query({
      name: 'note_upstream',
      text: `with of_draft as (
               update operations o set draft = ${noted} where tenant = $1 and subject = $2 and ${hasDraft()} returning 1),
             of_discarded as (update discarded_payments set draft = ${noted} where tenant = $1 and id = $2 returning 1),
             of_payment as (
               update payments set upstream = case status when 'failed' then (upstream::jsonb || $3::jsonb)::json
                 else ($3::jsonb || upstream::jsonb)::json end
               where tenant = $1 and id = $2 returning 1)
             select 1 from of_draft union all select 1 from of_discarded union all select 1 from of_payment`,
      values: [payment.tenant, payment.id, JSON.stringify(upstream)],
      scope: payment,
    });
  // A draft that got its answer while the statement waited for it stands where the statement did not look.
  if ((await note()).length === 0) await note();
}

/** The request as it was kept: without card number and security code. @throws Error where the payment was discarded */
export async function requestOf<T>(db: Queryable, payment: PaymentRow): Promise<T> {
  const [row] = await db.query<{ request: T }>({
    name: 'request_of_payment',
    text: `select request from payments where tenant = $1 and id = $2
           union all select request from operations o where tenant = $1 and subject = $2 and ${hasDraft()}`,
    values: [payment.tenant, payment.id],
    scope: payment,
  });
  if (row === undefined) throw new Error(`${payment.id} is gone`);
  return row.request;
}

/** The requests of some payments that have an answer, by their ids. */
export async function requestsOf<T>(
  db: Queryable,
  tenant: Tenant,
  payments: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const rows = await db.query<{ id: string; request: T }>({
    name: 'requests_of_payments',
    text: `select id, request from payments where tenant = $1 and id = any ($2)`,
    values: [tenant.tenant, payments],
    scope: tenant,
  });
  return new Map(rows.map(({ id, request }) => [id, request]));
}

/** Whether any payment of the tenant has no answer yet. */
export async function hasUnanswered(db: Queryable, tenant: Tenant): Promise<boolean> {
  const rows = await db.query({
    name: 'has_unanswered_payment',
    text: `select 1 from operations o where tenant = $1 and ${hasDraft()} limit 1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return rows.length > 0;
}
