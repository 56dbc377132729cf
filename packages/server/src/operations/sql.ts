import { bigint, type Cte, type KeyColumn, text, time } from '../store/columns.ts';
import { ownerIsGone } from '../store/instance.ts';

/** Columns of an operation `o`. */
export const operationColumns = 'o.tenant, o.subject, o.kind, o.upstream_key, o.tries, o.lease_until';

/** SQL for whether nobody works on an operation: left without an answer, its lease over, or its process gone. */
export const isFree = (now: string, o = 'o'): string =>
  `(${o}.state = 'unknown' or ${o}.lease_until <= ${now} or ${ownerIsGone(`${o}.lease_owner`)})`;

/** SQL for whether an operation of a subject is open. @param s its row, with `tenant` and `id` */
export const isOperationOpen = (s: string, condition = 'true'): string =>
  `exists (select from operations o where o.tenant = ${s}.tenant
     and o.subject = ${s}.id and ${condition})`;

/** Columns that the input of a statement has for `insertOperations`. */
export const intentColumns = { upstream_key: text, lease_owner: bigint, lease_until: time } as const;

/**
 * CTE that records what will be asked of the processor about a CTE's rows.
 * @param kind SQL of the kind
 */
export const insertOperations = (
  { name: source }: Cte<KeyColumn | 'created_at' | keyof typeof intentColumns>,
  kind: string,
): string => `operations_begun as (
    insert into operations (tenant, subject, kind, upstream_key, state, created_at, lease_owner,
      lease_until, next_try_at)
    select tenant, id, ${kind}, upstream_key, 'intent', created_at, lease_owner, lease_until, lease_until
    from ${source} order by tenant, id
    returning tenant, subject)`;

/** CTE that ends the operations on a CTE's rows. @param condition SQL on the row `s` and its operation `o` */
export const endOperations = (
  { name: source }: Cte<KeyColumn>,
  condition = 'true',
): string => `operations_ended as (
    delete from operations o using ${source} s
    where o.tenant = s.tenant and o.subject = s.id and ${condition})`;

/**
 * CTE that makes operations of another kind of those on a CTE's rows: recovery asks for that at once.
 * @param condition SQL on the row `s` and its operation `o`
 */
export const convertOperations = (
  { name: source }: Cte<KeyColumn>,
  { kind, key, condition, at = "'-infinity'" }: { kind: string; key: string; condition: string; at?: string },
): string => `operations_converted as (
    update operations o set kind = ${kind}, upstream_key = ${key}, state = 'unknown', tries = 0, next_try_at = ${at}
    from ${source} s
    where o.tenant = s.tenant and o.subject = s.id and ${condition})`;

/** SQL that joins the operation of a subject, as `o`. `$1` is the tenant. */
export const joinOperation = (subject: string): string =>
  `join operations o on o.tenant = $1 and o.subject = ${subject}`;
