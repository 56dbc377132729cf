import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson } from '../../lib/json.ts';
import { disputeEvents, obsoleteEvents } from '../events/dispute-events.ts';
import type { Dispute } from '../model/dispute.ts';

function disputeOf(state: unknown): Dispute {
  return columnsOf(state) as unknown as Dispute;
}

/** Lists every dispute of an account, newest first, including those that open in the future. */
export async function listDisputes(
  database: SandboxDatabase,
  merchantAccount: string,
): Promise<readonly Dispute[]> {
  const { rows } = await database.query(
    `select state from sandbox.disputes where merchant_account = $1 and processor = 'processor_b'
     order by created_at desc, upstream_id`,
    [merchantAccount],
  );
  return rows.map((row) => disputeOf(columnsOf(row).state));
}

interface Read {
  readonly dispute: Dispute;
  readonly version: number;
}

async function read(database: SandboxDatabase, merchantAccount: string, id: string): Promise<Read | null> {
  const { rows } = await database.query(
    `select state, version from sandbox.disputes
     where merchant_account = $1 and upstream_id = $2 and processor = 'processor_b'`,
    [merchantAccount, id],
  );
  if (rows.length === 0) return null;
  const { state, version } = columnsOf(rows[0]);
  return { dispute: disputeOf(state), version: Number(version) };
}

/** Finds a dispute of an account. Returns null if it is unknown. */
export async function findDispute(
  database: SandboxDatabase,
  merchantAccount: string,
  id: string,
): Promise<Dispute | null> {
  return (await read(database, merchantAccount, id))?.dispute ?? null;
}

const announceSql = `
insert into sandbox.notifications (processor, merchant_account, id, due_at, body, flaw)
select 'processor_b', written.merchant_account, event.id, event.due_at, event.body, event.flaw
from written, json_to_recordset($5::json) as event (id text, due_at timestamptz, body text, flaw text)
on conflict do nothing`;

const insertSql = `
with written as (
  insert into sandbox.disputes
    (merchant_account, upstream_id, processor, payment_reference, version, state, created_at)
  values ($1, $2, 'processor_b', $4, 1, $3, $6)
  on conflict do nothing
  returning merchant_account
), announced as (${announceSql})
select merchant_account from written`;

/** Stores a dispute and plans its events. Returns false if one with this id exists. */
export async function insertDispute(database: SandboxDatabase, dispute: Dispute): Promise<boolean> {
  const { merchantAccount, id, reference, steps } = dispute;
  const events = JSON.stringify(disputeEvents(null, dispute));
  const { rows } = await database.query(insertSql, [
    merchantAccount,
    id,
    databaseJson(dispute),
    reference,
    events,
    steps[0]?.at,
  ]);
  return rows.length === 1;
}

const changeSql = `
with written as (
  update sandbox.disputes set state = $3, version = version + 1
  where merchant_account = $1 and upstream_id = $2 and version = $4
  returning merchant_account
), announced as (${announceSql}
), dropped as (
  delete from sandbox.notifications n using written w
  where n.merchant_account = w.merchant_account and n.processor = 'processor_b' and not n.sent and n.id = any ($6)
)
select merchant_account from written`;

/**
 * Changes a dispute with optimistic locking. Plans the events of its new steps and deletes those of steps
 * that it no longer takes. If `change` throws, nothing happens.
 * @returns the changed dispute, or null if it is unknown
 */
export async function changeDispute(
  database: SandboxDatabase,
  merchantAccount: string,
  id: string,
  change: (dispute: Dispute) => Dispute,
): Promise<Dispute | null> {
  for (;;) {
    const found = await read(database, merchantAccount, id);
    if (found === null) return null;
    const { dispute: before, version } = found;
    const after = change(before);
    const { rows } = await database.query(changeSql, [
      merchantAccount,
      id,
      databaseJson(after),
      version,
      JSON.stringify(disputeEvents(before, after)),
      obsoleteEvents(before, after),
    ]);
    if (rows.length === 1) return after;
  }
}
