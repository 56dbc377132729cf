import { columnsOf } from '../json.ts';
import type { SandboxDatabase, SandboxParts } from '../parts.ts';

/** The money effect of a request and what is kept of its card. */
export interface ChargeColumns {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly charge_status: 'authorized' | 'captured';
  readonly brand: string;
  readonly bin: string;
  readonly last4: string;
  readonly expiry_month: number;
  readonly expiry_year: number;
  readonly received: unknown;
}

/** One request on its way into the tables. Its pspReference is also the token by which it owns its key. */
export interface RequestRow extends Partial<ChargeColumns> {
  readonly merchant_account: string;
  /** Null for a request without a key: it is executed every time. */
  readonly idempotency_key: string | null;
  readonly psp_reference: string;
  readonly at: string;
  /** Null claims the key for work that takes a while; the same row with an answer then settles it. */
  readonly status: number | null;
  readonly body: string | null;
}

/** `fresh`: this request was executed. Otherwise its key belongs to an earlier one, answered or still under way. */
export type Settled =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'stored'; readonly status: number; readonly body: string }
  | { readonly kind: 'in_flight' };

export interface RequestStore {
  /** Claims the key, writes the charge and keeps the answer, all or nothing, unless the key is taken. */
  settle(row: RequestRow): Promise<Settled>;
  /** Whether a fault meets this key for the first time; from then on it has. */
  faultStrikes(merchantAccount: string, idempotencyKey: string, at: string): Promise<boolean>;
}

// A key lives for 7 days; a claim without an answer for 12 seconds, longer than the slowest answer, so that a crash does not block its key for ever.
// Rows are written in key order, so that two overlapping runs wait for each other instead of deadlocking. A run
// repeated after its commit finds its own pspReference and changes nothing.
const settleSql = `
with incoming as (
  select * from json_to_recordset($1::json) as request (
    merchant_account text, idempotency_key text, psp_reference text, at timestamptz, status integer, body text,
    reference text, amount bigint, currency text, charge_status text,
    brand text, bin text, last4 text, expiry_month smallint, expiry_year smallint, received jsonb
  )
), owned as (
  insert into sandbox.requests as held
    (merchant_account, idempotency_key, psp_reference, started_at, status, body)
  select merchant_account, idempotency_key, psp_reference, at, status, body
  from incoming
  where idempotency_key is not null
  order by merchant_account, idempotency_key
  on conflict (merchant_account, idempotency_key) do update
    set psp_reference = excluded.psp_reference, started_at = excluded.started_at,
        status = excluded.status, body = excluded.body
    where held.psp_reference = excluded.psp_reference
      or held.started_at <= excluded.started_at - interval '168 hours'
      or (held.status is null and held.started_at <= excluded.started_at - interval '12 seconds')
  returning psp_reference
), charged as (
  insert into sandbox.charges
    (merchant_account, reference, psp_reference, amount, currency, status,
     brand, bin, last4, expiry_month, expiry_year, received, created_at)
  select merchant_account, reference, psp_reference, amount, currency, charge_status,
         brand, bin, last4, expiry_month, expiry_year, received, at
  from incoming
  where charge_status is not null
    and (idempotency_key is null or psp_reference in (select psp_reference from owned))
  on conflict (merchant_account, reference, psp_reference) do nothing
)
select psp_reference from owned`;

const storedSql = `
select status, body from sandbox.requests where merchant_account = $1 and idempotency_key = $2`;

const strikeSql = `
insert into sandbox.faults as struck (merchant_account, idempotency_key, struck_at)
values ($1, $2, $3)
on conflict (merchant_account, idempotency_key) do update
  set struck_at = excluded.struck_at
  where struck.struck_at <= excluded.struck_at - interval '168 hours'
returning struck_at`;

/** JSON that PostgreSQL takes: it refuses NUL and half surrogate pairs, which JavaScript strings may hold. */
function databaseJson(rows: readonly RequestRow[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\u')) return text;
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd');
}

async function readStored(database: SandboxDatabase, row: RequestRow): Promise<Settled> {
  const { rows } = await database.query(storedSql, [row.merchant_account, row.idempotency_key]);
  if (rows.length === 0) throw new Error('the sandbox lost a request that it had just met');
  const { status, body } = columnsOf(rows[0]);
  return status === null
    ? { kind: 'in_flight' }
    : { kind: 'stored', status: Number(status), body: String(body) };
}

function keyOf(row: RequestRow): string {
  return JSON.stringify([row.merchant_account, row.idempotency_key ?? row.psp_reference]);
}

/** The tables behind one simulator. Concurrent requests share a statement where `batch` is given. */
export function createRequestStore(parts: Pick<SandboxParts, 'database' | 'batch'>): RequestStore {
  const { database } = parts;

  const execute = async (rows: readonly RequestRow[]): Promise<readonly boolean[]> => {
    const result = await database.query(settleSql, [databaseJson(rows)]);
    const owned = new Set(result.rows.map((row) => columnsOf(row).psp_reference));
    return rows.map((row) => row.idempotency_key === null || owned.has(row.psp_reference));
  };
  const executeOne =
    parts.batch === undefined
      ? async (row: RequestRow) => (await execute([row]))[0] === true
      : parts.batch(execute, keyOf);

  return {
    async settle(row) {
      return (await executeOne(row)) ? { kind: 'fresh' } : readStored(database, row);
    },
    async faultStrikes(merchantAccount, idempotencyKey, at) {
      const { rows } = await database.query(strikeSql, [merchantAccount, idempotencyKey, at]);
      return rows.length === 1;
    },
  };
}
