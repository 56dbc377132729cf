import { columnsOf, databaseJson } from '../json.ts';
import type { SandboxDatabase, SandboxParts } from '../parts.ts';
import type { KeptChallenge } from './challenges.ts';

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

/** What a payment needs to be completed once its cardholder has been asked. */
export interface ChallengeColumns {
  readonly reference: string;
  readonly challenge_id: string;
  readonly challenge: KeptChallenge;
}

/** One request on its way into the tables. Its pspReference is also the token by which it owns its key. */
export interface RequestRow extends Partial<ChargeColumns>, Partial<ChallengeColumns> {
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

/** A payment by our reference or by the processor's own. */
export type CancelledPayment = { readonly reference: string } | { readonly pspReference: string };

export interface RequestStore {
  /** Claims the key, writes the charge and keeps the answer, all or nothing, unless the key is taken. */
  settle(row: RequestRow): Promise<Settled>;
  /** As `settle`, and completes the row's challenge; without effect where nobody has answered it or it is over. */
  complete(row: RequestRow): Promise<Settled | { readonly kind: 'over' }>;
  /** As `settle`, and cancels whatever stands under a reference or pspReference, charged or waiting for the buyer. */
  cancel(row: RequestRow, payment: CancelledPayment): Promise<Settled>;
}

const incoming = `
  select * from json_to_recordset($1::json) as request (
    merchant_account text, idempotency_key text, psp_reference text, at timestamptz, status integer, body text,
    reference text, amount bigint, currency text, charge_status text,
    brand text, bin text, last4 text, expiry_month smallint, expiry_year smallint, received jsonb,
    challenge_id text, challenge jsonb
  )`;

// A key lives for 7 days; a claim without an answer for 12 seconds, longer than the slowest answer, so that a crash does
// not block its key for ever.
// Rows are written in key order, so that two overlapping runs wait for each other instead of deadlocking. A run
// repeated after its commit finds its own pspReference and changes nothing.
const owning = (allowed: string): string => `
  insert into sandbox.requests as held
    (merchant_account, idempotency_key, psp_reference, started_at, status, body)
  select merchant_account, idempotency_key, psp_reference, at, status, body
  from incoming
  where idempotency_key is not null and ${allowed}
  order by merchant_account, idempotency_key
  on conflict (merchant_account, idempotency_key) do update
    set psp_reference = excluded.psp_reference, started_at = excluded.started_at,
        status = excluded.status, body = excluded.body
    where held.psp_reference = excluded.psp_reference
      or held.started_at <= excluded.started_at - interval '168 hours'
      or (held.status is null and held.started_at <= excluded.started_at - interval '12 seconds')
  returning psp_reference`;

const charging = (allowed: string): string => `
  insert into sandbox.charges
    (merchant_account, reference, psp_reference, amount, currency, status,
     brand, bin, last4, expiry_month, expiry_year, received, created_at)
  select merchant_account, reference, psp_reference, amount, currency, charge_status,
         brand, bin, last4, expiry_month, expiry_year, received, at
  from incoming
  where charge_status is not null and ${allowed}
  on conflict (merchant_account, reference, psp_reference) do nothing`;

const keyIsOwned = '(idempotency_key is null or psp_reference in (select psp_reference from owned))';

const settleSql = `
with incoming as (${incoming}), owned as (${owning('true')}), charged as (${charging(keyIsOwned)})
select psp_reference from owned`;

const challengeSql = `
with incoming as (${incoming}), owned as (${owning('true')}), challenged as (
  insert into sandbox.challenges (id, merchant_account, reference, psp_reference, state, payment, created_at)
  select challenge_id, merchant_account, reference, psp_reference, 'open', challenge, at
  from incoming
  where challenge_id is not null and ${keyIsOwned}
  on conflict (id) do nothing
)
select psp_reference from owned`;

// The challenge's row is locked first, so that of two requests at once only one completes it.
const completeSql = `
with incoming as (${incoming}), answered as (
  select c.id from sandbox.challenges c join incoming i on c.id = i.challenge_id
  where c.state = 'answered' for update of c
), owned as (${owning('exists (select from answered)')}), granted as (
  select challenge_id from incoming where exists (select from answered) and ${keyIsOwned}
), completed as (
  update sandbox.challenges c set state = 'completed' from granted g where c.id = g.challenge_id
), charged as (${charging('exists (select from granted)')})
select challenge_id from granted`;

// In a statement of its own before the charges: a completion under way is waited for, so that its charge is seen then.
const stopChallengesSql = `
update sandbox.challenges set state = 'cancelled'
where merchant_account = $1 and (reference = $2 or psp_reference = $3) and state in ('open', 'answered')`;

const cancelSql = `
with incoming as (${incoming}), owned as (${owning('true')}), cancelled as (
  update sandbox.charges c set status = 'cancelled'
  from incoming i
  where c.merchant_account = i.merchant_account and (c.reference = $2 or c.psp_reference = $3)
    and c.status in ('authorized', 'captured')
    and (i.idempotency_key is null or i.psp_reference in (select psp_reference from owned))
)
select psp_reference from owned`;

const storedSql = `
select status, body from sandbox.requests where merchant_account = $1 and idempotency_key = $2`;

async function findStored(database: SandboxDatabase, row: RequestRow): Promise<Settled | undefined> {
  const { rows } = await database.query(storedSql, [row.merchant_account, row.idempotency_key]);
  if (rows.length === 0) return undefined;
  const { status, body } = columnsOf(rows[0]);
  return status === null
    ? { kind: 'in_flight' }
    : { kind: 'stored', status: Number(status), body: String(body) };
}

async function readStored(database: SandboxDatabase, row: RequestRow): Promise<Settled> {
  const stored = await findStored(database, row);
  if (stored === undefined) throw new Error('the sandbox lost a request that it had just met');
  return stored;
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
  const executeAlone = async (
    sql: string,
    row: RequestRow,
    values: readonly unknown[] = [],
  ): Promise<boolean> => {
    const { rows } = await database.query(sql, [databaseJson([row]), ...values]);
    return row.idempotency_key === null || rows.length === 1;
  };
  const executeOne =
    parts.batch === undefined
      ? async (row: RequestRow) => (await execute([row]))[0] === true
      : parts.batch(execute, keyOf);

  return {
    async settle(row) {
      // Apart from the merged runs: payments that meet no challenge need not pay for the ones that do.
      const done = row.challenge_id === undefined ? executeOne(row) : executeAlone(challengeSql, row);
      return (await done) ? { kind: 'fresh' } : readStored(database, row);
    },
    async complete(row) {
      const { rows } = await database.query(completeSql, [databaseJson([row])]);
      if (rows.length === 1) return { kind: 'fresh' };
      return row.idempotency_key === null
        ? { kind: 'over' }
        : ((await findStored(database, row)) ?? { kind: 'over' });
    },
    async cancel(row, payment) {
      const reference = 'reference' in payment ? payment.reference : null;
      const pspReference = 'pspReference' in payment ? payment.pspReference : null;
      await database.query(stopChallengesSql, [row.merchant_account, reference, pspReference]);
      const done = await executeAlone(cancelSql, row, [reference, pspReference]);
      return done ? { kind: 'fresh' } : readStored(database, row);
    },
  };
}
