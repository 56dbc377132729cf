import { hasDraft } from '../operations/sql.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { type JsonText, json, jsonRow, listOf, nullable, typesOf, without } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { type KeptRequest, type StoredRequest, storedRequest } from './kept-request.ts';
import { begunColumns, type PaymentRow, paymentColumns } from './payment.ts';

/** The columns of a draft when it is written. Its operation has the other columns with which a payment begins. */
const draftColumns = without(begunColumns, 'tenant', 'id', 'created_at', 'status');
/** The columns that a draft may have later. */
const notedColumns = { ...draftColumns, upstream: nullable(json<UpstreamIds>()) } as const;

/** The values that most payments begin with. Drafts leave them out. Never change them: later versions read the same drafts. */
const defaults = {
  method_type: 'card',
  capture_method: 'automatic',
  authentication: 'automatic',
  merchant_initiated: false,
} as const;

/**
 * Writes a new payment as a draft. A draft lives only until the answer and adds its length to the write-ahead log, so the
 * columns and values that are known anyway are left out.
 */
export const draftOf = (payment: PaymentRow): JsonText => jsonRow(draftColumns, payment, defaults);

const nulls = Object.entries(paymentColumns)
  .filter(([name]) => !(name in notedColumns))
  .map(([name, { sql }]) => [name, `null::${sql}`] as const);
const defaultValues = Object.entries(defaults).map(
  ([name, value]) => [name, `coalesce(p.${name}, '${value}')`] as const,
);

/** SQL for a payment's columns. @param of alias of the row with the draft, which is joined as `p` @param id its id's column */
const columnsOfDraft = (of: string, id: string): string =>
  listOf(paymentColumns, 'p', {
    ...Object.fromEntries([...nulls, ...defaultValues]),
    tenant: `${of}.tenant`,
    id: `${of}.${id}`,
    created_at: `${of}.created_at`,
    status: `'processing'`,
    upstream: `coalesce(p.upstream, '{}')`,
    required_action: 'false',
    confirm_attempt: '0',
    version: '1',
    event_count: '0',
  });

/** SQL that joins the columns of a draft, as `p`. @param of alias of the row that has the draft */
const joinDraft = (of: string) => `cross join json_to_record(${of}.draft) as p (${typesOf(notedColumns)})`;

const ofOperation = `${columnsOfDraft('o', 'subject')} from operations o ${joinDraft('o')}`;

/** SQL for the tenant's payments that have no answer yet, as rows with the columns of a payment. `$1` is the tenant. */
export const draftsOfTenant = `select ${ofOperation} where o.tenant = $1 and ${hasDraft()}`;

/** SQL for the list numbers of payments that are not shown: they have no answer, or were discarded. `$1` is the tenant. */
export const numbersNotShown = `select seq from operations o where tenant = $1 and ${hasDraft()}
  union all select seq from discarded_payments where tenant = $1`;

const findStatement = {
  name: 'find_draft_of_payment',
  text: `select ${ofOperation} where o.tenant = $1 and o.subject = $2 and ${hasDraft()}
         union all select ${columnsOfDraft('d', 'id')} from discarded_payments d ${joinDraft('d')}
         where d.tenant = $1 and d.id = $2`,
};

/** Finds a payment that has no answer yet, or that was discarded. */
export async function findDraft(db: Queryable, tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>({
    values: [tenant.tenant, id],
    scope: tenant,
    ...findStatement,
  });
  return row;
}

/** SQL for the upstream's ids in a draft. */
export const upstreamOfDraft = `coalesce(draft::jsonb -> 'upstream', '{}')`;

/** SQL for a draft to which the ids of `$3` are added. Ids that it has already stay. */
export const noted = `(draft::jsonb || jsonb_build_object('upstream', $3::jsonb || ${upstreamOfDraft}))::json`;

/**
 * Stores ids that the upstream sent outside of an answer. Ids that are known already stay, except on a payment that failed or
 * was voided: there only the ids of a late charge still matter, since that charge has to be given back.
 */
export async function noteUpstream(db: Queryable, payment: PaymentRow, upstream: UpstreamIds): Promise<void> {
  const note = () =>
    db.query({
      name: 'note_upstream',
      text: `with of_draft as (
               update operations o set draft = ${noted} where tenant = $1 and subject = $2 and ${hasDraft()} returning 1),
             of_discarded as (update discarded_payments set draft = ${noted} where tenant = $1 and id = $2 returning 1),
             of_payment as (
               update payments set upstream = case when status in ('failed', 'voided') then (upstream::jsonb || $3::jsonb)::json
                 else ($3::jsonb || upstream::jsonb)::json end
               where tenant = $1 and id = $2 returning 1)
             select 1 from of_draft union all select 1 from of_discarded union all select 1 from of_payment`,
      values: [payment.tenant, payment.id, JSON.stringify(upstream)],
      scope: payment,
    });
  // If the draft got its answer while the statement waited for its lock, the payment is now in a table already searched: retry.
  if ((await note()).length === 0) await note();
}

/** The stored request of a payment. @throws Error if the payment was discarded */
export async function requestOf(db: Queryable, payment: PaymentRow): Promise<StoredRequest> {
  const [row] = await db.query<{ request: KeptRequest }>({
    name: 'request_of_payment',
    text: `select request from payments where tenant = $1 and id = $2
           union all select request from operations o where tenant = $1 and subject = $2 and ${hasDraft()}`,
    values: [payment.tenant, payment.id],
    scope: payment,
  });
  if (row === undefined) throw new Error(`${payment.id} is gone`);
  return storedRequest(row.request, payment);
}

/** The stored requests of payments that have an answer, by payment id. */
export async function requestsOf(
  db: Queryable,
  tenant: Tenant,
  payments: readonly PaymentRow[],
): Promise<ReadonlyMap<string, StoredRequest>> {
  const rows = await db.query<{ id: string; request: KeptRequest }>({
    name: 'requests_of_payments',
    text: `select id, request from payments where tenant = $1 and id = any ($2)`,
    values: [tenant.tenant, payments.map(({ id }) => id)],
    scope: tenant,
  });
  const kept = new Map(rows.map(({ id, request }) => [id, request]));
  return new Map(
    payments.flatMap((payment) => {
      const request = kept.get(payment.id);
      return request === undefined ? [] : [[payment.id, storedRequest(request, payment)]];
    }),
  );
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
