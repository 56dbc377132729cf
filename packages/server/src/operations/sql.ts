import { bigint, type Cte, json, type KeyColumn, listOf, text, time } from '../store/columns.ts';
import { ownerIsGone } from '../store/instance.ts';

/** SQL for the upstream key with which every charge begins. It is derived and not stored. @param id SQL of the subject */
const chargeKey = (id: string): string => `${id} || ':c'`;

/** SQL for an operation's idempotency key at the processor. */
export const upstreamKeyOf = (o: string): string =>
  `coalesce(${o}.upstream_key, ${chargeKey(`${o}.subject`)})`;

/** Columns of an `OpenOperation`, from the operation `o`. */
export const operationColumns = `o.tenant, o.subject, o.kind, ${upstreamKeyOf('o')} as upstream_key, o.tries, o.lease_until`;

/** SQL for whether nobody works on an operation: it was left without an answer, its lease is over, or its process is gone. */
export const isFree = (now: string, o = 'o'): string =>
  `(${o}.state = 'unknown' or ${o}.lease_until <= ${now} or ${ownerIsGone(`${o}.lease_owner`)})`;

/** SQL for whether an operation of a subject is open. @param s alias of the subject's row, which has `tenant` and `id` */
export const isOperationOpen = (s: string, condition = 'true'): string =>
  `exists (select from operations o where o.tenant = ${s}.tenant
     and o.subject = ${s}.id and ${condition})`;

/** SQL for whether some process is waiting for a processor's answer for one of these tenants. */
export const isAnswerAwaited = (tenants: string, now: string): string =>
  `exists (select from operations where tenant = any(${tenants}) and state = 'intent' and lease_until > ${now})`;

/** Columns that a statement's input needs for `insertOperations`. */
export const intentColumns = { upstream_key: text, lease_owner: bigint, lease_until: time } as const;

type Begun = KeyColumn | 'created_at' | keyof typeof intentColumns;

const inserted = 'kind, upstream_key, state, created_at, lease_owner, lease_until, next_try_at';
const selected = (kind: string, key = 'upstream_key') =>
  `${kind}, ${key}, 'intent', created_at, lease_owner, lease_until, lease_until`;

/**
 * CTE that records, for each row of a CTE, what the processor will be asked.
 * @param kind SQL of the kind
 */
export const insertOperations = ({ name: source }: Cte<Begun>, kind: string): string => `operations_begun as (
    insert into operations (tenant, subject, ${inserted})
    select tenant, id, ${selected(kind)} from ${source} order by tenant, id
    returning tenant, subject)`;

/** For a subject that is inserted only with the processor's answer: its list number, its other columns and its request. */
export const draftColumns = { seq: bigint, draft: json<object>(), request: json<object>() } as const;
const drafted = listOf(draftColumns);

/** Like `insertOperations`, for subjects that are inserted only with the processor's answer. */
export const insertDrafts = (
  { name: source }: Cte<Begun | keyof typeof draftColumns>,
  kind: string,
): string => `operations_begun as (
    insert into operations (tenant, subject, ${inserted}, ${drafted})
    select tenant, id, ${selected(kind, `nullif(upstream_key, ${chargeKey('id')})`)}, ${drafted} from ${source} order by tenant, id
    returning tenant, subject)`;

/**
 * CTE that locks those subjects of a CTE's rows that still wait for their answer: if two commits bring one, the first counts.
 * Its rows have `tenant`, `id` and the columns of `draftColumns`.
 */
export const lockDrafts = (name: string, { name: source }: Cte<KeyColumn>): string => `${name} as (
    select o.tenant, o.subject as id, ${listOf(draftColumns, 'o')} from operations o join ${source} s
      on o.tenant = s.tenant and o.subject = s.id
    where o.draft is not null order by o.tenant, o.subject for update of o)`;

/** SQL for whether the subject of an operation `o` still waits for the processor's answer. */
export const hasDraft = (o = 'o'): string => `${o}.draft is not null`;

/** CTE that ends the operations on a CTE's rows. @param condition SQL on the row `s` and its operation `o` */
export const endOperations = (
  { name: source }: Cte<KeyColumn>,
  condition = 'true',
): string => `operations_ended as (
    delete from operations o using ${source} s
    where o.tenant = s.tenant and o.subject = s.id and ${condition})`;

/**
 * CTE that changes the operations on a CTE's rows to another kind, which recovery asks for at once unless `at` says otherwise.
 * It clears the drafts, since the subjects have their answer by now.
 * @param condition SQL on the row `s` and its operation `o`
 */
export const convertOperations = (
  { name: source }: Cte<KeyColumn>,
  { kind, key, condition, at = "'-infinity'" }: { kind: string; key: string; condition: string; at?: string },
): string => `operations_converted as (
    update operations o set kind = ${kind}, upstream_key = ${key}, state = 'unknown', tries = 0, next_try_at = ${at},
      seq = null, draft = null, request = null
    from ${source} s
    where o.tenant = s.tenant and o.subject = s.id and ${condition})`;

/** CTE that locks an operation if a process still holds it. `$1` to `$4`: tenant, subject, owner and end of the lease. */
export const lockHeld = (name: string): string => `${name} as (
    select 1 from operations
    where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4 for update)`;

/** SQL that joins the operation of a subject, as `o`. `$1` is the tenant. */
export const joinOperation = (subject: string): string =>
  `join operations o on o.tenant = $1 and o.subject = ${subject}`;
