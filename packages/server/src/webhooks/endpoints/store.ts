import { lockAccount } from '../../accounts/sql.ts';
import {
  bool,
  bytes,
  int,
  listOf,
  nullable,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  texts,
  time,
  valuesOf,
  without,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import { endDeliveries } from './end-deliveries.ts';

export const endpointColumns = {
  account_id: text,
  id: text,
  url: text,
  name: nullable(text),
  additional_events: bool,
  /** The only types that the endpoint gets, or groups such as `payment.*`; null if `additional_events` decides. */
  event_types: nullable(texts),
  /** `thin` sends events without their object's data. */
  payload: oneOf<'full' | 'thin'>(),
  /** For how long a replaced secret still signs beside the new one; 0 if it stops at once. */
  secret_overlap_seconds: int,
  /**
   * Real time until which the replaced secret signs. Null if there is no replaced secret; a past time if it is not removed yet.
   */
  previous_secret_until: nullable(time),
  status: oneOf<'active' | 'paused'>(),
  paused_reason: nullable(oneOf<'merchant' | 'failing'>()),
  /** Real time of the first failure since the last success, resume or change of the URL; null if there is none. */
  first_failure_at: nullable(time),
  created_at: time,
} as const;
export const insertedColumns = {
  ...without(endpointColumns, 'paused_reason', 'first_failure_at', 'previous_secret_until'),
  secret: bytes,
  key_version: int,
} as const;

export type EndpointRow = RowOf<typeof endpointColumns>;

interface SealedSecret {
  readonly sealed: Buffer;
  readonly keyVersion: number;
}

const columns = listOf(endpointColumns);

/**
 * Counts the account's endpoints that are not deleted, and locks the account, so that no other transaction adds one meanwhile.
 */
export async function countEndpointsLocked(tx: Queryable, accountId: string): Promise<number> {
  await lockAccount(tx, accountId);
  const [row] = await tx.query<{ count: number }>({
    text: 'select count(*) as count from webhook_endpoints where account_id = $1 and deleted_at is null',
    values: [accountId],
    scope: { accountId },
  });
  return row?.count ?? 0;
}

export async function insertEndpoint(
  db: Queryable,
  endpoint: Omit<RowOf<typeof insertedColumns>, 'status' | 'secret' | 'key_version'>,
  secret: SealedSecret,
): Promise<EndpointRow | undefined> {
  const [row] = await db.query<EndpointRow>({
    text: `insert into webhook_endpoints (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})
           returning ${columns}`,
    values: valuesOf(insertedColumns, {
      ...endpoint,
      status: 'active',
      secret: secret.sealed,
      key_version: secret.keyVersion,
    }),
    scope: { accountId: endpoint.account_id },
  });
  return row;
}

/** The account's endpoints that are not deleted, oldest first. */
export async function selectEndpoints(db: Queryable, accountId: string): Promise<EndpointRow[]> {
  return db.query<EndpointRow>({
    text: `select ${columns} from webhook_endpoints where account_id = $1 and deleted_at is null order by id`,
    values: [accountId],
    scope: { accountId },
  });
}

export async function selectEndpoint(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.query<EndpointRow>({
    text: `select ${columns} from webhook_endpoints where account_id = $1 and id = $2 and deleted_at is null`,
    values: [accountId, id],
    scope: { accountId },
  });
  return row;
}

/** Finds the account of an endpoint for the operator's command line, which names an endpoint by its id alone. */
export async function selectAccountOfEndpoint(db: Queryable, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ account_id: string }>({
    text: 'select account_id from webhook_endpoints where id = $1 and deleted_at is null',
    values: [id],
    scope: 'everybody',
  });
  return row?.account_id;
}

/**
 * Stores a new secret. Attempts that begin from now on are signed with it and, during the endpoint's overlap, with the
 * former one too.
 * @param now real time
 * @returns undefined if there is no such endpoint
 */
export async function updateSecret(
  db: Queryable,
  accountId: string,
  id: string,
  secret: SealedSecret,
  now: Date,
): Promise<EndpointRow | undefined> {
  const [row] = await db.query<EndpointRow>({
    text: `update webhook_endpoints set secret = $3, key_version = $4,
             previous_secret = case when secret_overlap_seconds > 0 then secret end,
             previous_key_version = case when secret_overlap_seconds > 0 then key_version end,
             previous_secret_until = case when secret_overlap_seconds > 0
               then $5::timestamptz + secret_overlap_seconds * interval '1 second' end
           where account_id = $1 and id = $2 and deleted_at is null returning ${columns}`,
    values: [accountId, id, secret.sealed, secret.keyVersion, now],
    scope: { accountId },
  });
  return row;
}

/** Deletes replaced secrets that no longer sign. @param now real time */
export async function removeFormerSecrets(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'remove_former_webhook_secrets',
    text: `update webhook_endpoints set previous_secret = null, previous_key_version = null,
             previous_secret_until = null
           where previous_secret is not null and previous_secret_until <= $1`,
    values: [now],
    scope: 'everybody',
  });
}

/** The fields of an endpoint that may be changed; undefined leaves a field as it is. */
export interface EndpointChanges {
  readonly url?: string | undefined;
  readonly additionalEvents?: boolean | undefined;
  /** Null removes the name, and the endpoint is shown by its URL. */
  readonly name?: string | null | undefined;
  /** Types and groups of types that exist; null removes the filter. */
  readonly eventTypes?: readonly string[] | null | undefined;
  readonly payload?: EndpointRow['payload'] | undefined;
  readonly secretOverlapSeconds?: number | undefined;
}

/** SQL condition: a change to the URL `$3`, if any, leaves it as it is. Forms send an unchanged URL too. */
const keepsAddress = 'coalesce($3::text, url) = url';

/** Changes the named fields. A new URL resets the failure record, which was about the old one. */
export async function updateEndpointRow(
  db: Queryable,
  accountId: string,
  id: string,
  changes: EndpointChanges,
): Promise<EndpointRow | undefined> {
  const [row] = await db.query<EndpointRow>({
    text: `update webhook_endpoints set url = coalesce($3, url),
             additional_events = coalesce($4, additional_events),
             name = case when $6 then $5 else name end,
             event_types = case when $8 then $7 else event_types end,
             payload = coalesce($9, payload),
             secret_overlap_seconds = coalesce($10, secret_overlap_seconds),
             first_failure_at = case when ${keepsAddress} then first_failure_at end,
             last_failure_at = case when ${keepsAddress} then last_failure_at end,
             alerted_at = case when ${keepsAddress} then alerted_at end
           where account_id = $1 and id = $2 and deleted_at is null returning ${columns}`,
    values: [
      accountId,
      id,
      changes.url ?? null,
      changes.additionalEvents ?? null,
      changes.name ?? null,
      changes.name !== undefined,
      changes.eventTypes ?? null,
      changes.eventTypes !== undefined,
      changes.payload ?? null,
      changes.secretOverlapSeconds ?? null,
    ],
    scope: { accountId },
  });
  return row;
}

/** Pauses by hand, or resumes. Resuming clears the failure record; deliveries that fell due during the pause are sent at once. */
export async function updateStatus(
  db: Queryable,
  accountId: string,
  id: string,
  status: EndpointRow['status'],
): Promise<EndpointRow | undefined> {
  const [row] = await db.query<EndpointRow>({
    text: `update webhook_endpoints set status = $3,
             paused_reason = case when $3 = 'paused' then coalesce(paused_reason, 'merchant') end,
             first_failure_at = case when $3 = 'paused' then first_failure_at end, notice_due = null
           where account_id = $1 and id = $2 and deleted_at is null returning ${columns}`,
    values: [accountId, id, status],
    scope: { accountId },
  });
  return row;
}

/**
 * Hides the endpoint and ends the first of its deliveries; the next sweep ends the others.
 * @returns false if there is no such endpoint
 */
export async function markDeleted(tx: Queryable, accountId: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query({
    text: `update webhook_endpoints set deleted_at = $3, notice_due = null, last_failure_at = null
           where account_id = $1 and id = $2 and deleted_at is null returning id`,
    values: [accountId, id, now],
    scope: { accountId },
  });
  // A statement of its own sees deliveries of a replay that the statement above waited for.
  await endDeliveries(tx, accountId, id, now);
  return rows.length === 1;
}

/**
 * Reserves the endpoint for a replay until a time, unless one is under way.
 * @param now real time
 * @returns whether the endpoint was free
 */
export async function beginReplay(
  db: Queryable,
  accountId: string,
  id: string,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<boolean> {
  const rows = await db.query({
    name: 'begin_webhook_replay',
    text: `update webhook_endpoints set replay_until = $4
           where account_id = $1 and id = $2 and deleted_at is null and coalesce(replay_until <= $3, true) returning id`,
    values: [accountId, id, now, until],
    scope: { accountId },
  });
  return rows.length === 1;
}

/**
 * Records when the last delivery of a replay is due. Changes nothing if the replay took longer than its reservation and
 * another one has begun since.
 * @param reservedUntil the time until which this replay reserved the endpoint, which no other replay has
 */
export async function endReplay(
  db: Queryable,
  accountId: string,
  id: string,
  { reservedUntil, until }: { readonly reservedUntil: Date; readonly until: Date },
): Promise<void> {
  await db.query({
    name: 'end_webhook_replay',
    text: `update webhook_endpoints set replay_until = $4
           where account_id = $1 and id = $2 and replay_until = $3`,
    values: [accountId, id, reservedUntil, until],
    scope: { accountId },
  });
}

/** Counts one more test event. @returns its number; undefined if there is no such endpoint */
export async function countTest(db: Queryable, accountId: string, id: string): Promise<number | undefined> {
  const [row] = await db.query<{ test_count: number }>({
    text: `update webhook_endpoints set test_count = test_count + 1
           where account_id = $1 and id = $2 and deleted_at is null returning test_count`,
    values: [accountId, id],
    scope: { accountId },
  });
  return row?.test_count;
}
