import { isAnswer, joinEvent } from '../events/events.ts';
import type { IdempotencyRecord } from '../lib/idempotency-record.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { ownerIsGone } from '../store/instance.ts';
import { parameterRows } from '../store/sql.ts';
import type { TenantId } from '../store/tenant.ts';
import { type Claim, extraRetentionSql, isRecordExpiredSql, isUnresolved, recordDigest } from './claims.ts';

export interface RecordKey {
  readonly tenant: TenantId;
  readonly scope: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly resourceId: string;
  readonly status: number;
  readonly body: string;
  readonly createdAt: Date;
}

/** SQL for the columns of an `IdempotencyRecord`. It needs the tables of `joinRecord`. @param k alias of the record */
export const recordColumns = (k: string): string =>
  `encode(${k}.fingerprint, 'hex') as fingerprint, ${k}.resource_id, ${k}.created_at,
   case when ${answerOf(k)}.answer_status is null then ${k}.state else 'done' end as state,
   coalesce(${k}.status, ${answerOf(k)}.answer_status) as status,
   coalesce(${k}.body, ${answerOf(k)}.object) as body,
   ${k}.state <> 'done' and ${isUnresolved(k)} as unresolved`;

const answerOf = (k: string) => `answer_of_${k}`;

/**
 * SQL that joins a record as `k`, with the event that stores its answer.
 * @param on aliases of two rows: `of` has the record's `tenant`, `named` its `digest`
 */
export const joinRecord = (k: string, on: { readonly of: string; readonly named: string }): string =>
  `join idempotency_keys ${k}
     on ${k}.tenant = ${on.of}.tenant and ${k}.digest = ${on.named}.digest
   left ${joinEvent(answerOf(k), { of: k, id: `${k}.event_id` })}`;

/** SQL for whether an event stores the answer of a record `k`. */
const isAnswered = (k: string): string => isAnswer({ tenant: `${k}.tenant`, id: `${k}.event_id` });

/** All SQL on idempotency records that is not part of a feature's own commit. */
export class IdempotencyStore {
  readonly #db: Database;
  readonly #read: Batcher<RecordKey, IdempotencyRecord | undefined>;

  constructor(db: Database) {
    this.#db = db;
    this.#read = new Batcher<RecordKey, IdempotencyRecord | undefined>(async (keys) => {
      const rows = await db.query<IdempotencyRecord & { n: number }>({
        name: 'read_idempotency_keys',
        text: `select s.n::int, ${recordColumns('k')}
               from ${parameterRows('int', 'bytea')}
                 with ordinality as s (tenant, digest, n)
               ${joinRecord('k', { of: 's', named: 's' })}`,
        values: [keys.map((key) => key.tenant), keys.map(recordDigest)],
        scope: keys,
      });
      const found = new Map(rows.map((row) => [row.n, row]));
      return keys.map((_key, index) => found.get(index + 1));
    });
  }

  read(key: RecordKey): Promise<IdempotencyRecord | undefined> {
    return this.#read.submit(key);
  }

  /**
   * Takes over a request that nobody works on any more: it was left open, its lease is over, or its process is gone (a process
   * holds an advisory lock under its number while it lives). If a request with another body got the key since the record was
   * read, nothing is taken over.
   * @param now real time
   * @returns id of the resource that the request began; undefined if somebody still works on it
   */
  async takeOver(key: RecordKey, claim: Claim, now: Date): Promise<string | undefined> {
    const [row] = await this.#db.query<{ resource_id: string }>({
      name: 'take_over_idempotency_key',
      text: `update idempotency_keys k set state = 'running', lease_owner = $3, lease_until = $4, event_id = $6
             where tenant = $1 and digest = $2 and fingerprint = decode($7, 'hex') and not ${isAnswered('k')}
               and (state = 'open' or (state = 'running' and (lease_until <= $5 or ${ownerIsGone('k.lease_owner')})))
             returning resource_id`,
      values: [
        key.tenant,
        recordDigest(key),
        claim.owner,
        claim.leaseUntil,
        now,
        claim.eventId,
        claim.fingerprint,
      ],
      scope: key,
    });
    return row?.resource_id;
  }

  /**
   * Stores an answer that no commit of this request stores: it was known without asking anybody, or another request's commit
   * brought it about. It replaces a record that is over, as any new request does.
   * @returns false if another request has the key: then its answer counts
   */
  async keepAnswer(key: RecordKey, claim: Claim, answer: StoredAnswer): Promise<boolean> {
    const isOver = isRecordExpiredSql('k', 'excluded.created_at');
    const rows = await this.#db.query({
      name: 'keep_answer',
      text: `insert into idempotency_keys as k (tenant, digest, fingerprint, state, lease_owner,
               lease_until, resource_id, status, body, created_at)
             values ($1, $2, decode($3, 'hex'), 'done', $4, $5, $6, $7, $8, $9)
             on conflict (tenant, digest) do update
               set state = 'done', status = excluded.status, body = excluded.body, fingerprint = excluded.fingerprint,
                 resource_id = excluded.resource_id,
                 event_id = case when ${isOver} then null else k.event_id end,
                 created_at = case when ${isOver} then excluded.created_at else k.created_at end
               where ${isOver} or (k.state <> 'done' and k.fingerprint = excluded.fingerprint
                 and k.resource_id = excluded.resource_id and not ${isAnswered('k')})
             returning 1`,
      values: [
        key.tenant,
        recordDigest(key),
        claim.fingerprint,
        claim.owner,
        claim.leaseUntil,
        answer.resourceId,
        answer.status,
        answer.body,
        answer.createdAt,
      ],
      scope: key,
    });
    return rows.length > 0;
  }

  /** Leaves a request without an answer open, so that a retry can resume it. */
  async release(key: RecordKey, claim: Claim): Promise<void> {
    await this.#db.query({
      name: 'release_idempotency_key',
      text: `update idempotency_keys set state = 'open'
             where tenant = $1 and digest = $2 and state = 'running'
               and lease_owner = $3 and lease_until = $4`,
      values: [key.tenant, recordDigest(key), claim.owner, claim.leaseUntil],
      scope: key,
    });
  }

  /** Deletes records that are over, a few thousand at a time. @param before 24 hours ago @returns how many it deleted */
  async removeExpired(before: Date): Promise<number> {
    const rows = await this.#db.query({
      name: 'remove_expired_idempotency_keys',
      scope: 'everybody',
      // The age is checked twice: on some servers a record that a new request takes over meanwhile keeps its `ctid`.
      text: `delete from idempotency_keys where created_at <= $1 and ctid = any (array (
               select ctid from idempotency_keys k where created_at <= $1 and created_at <= $1::timestamptz - ${extraRetentionSql('k')}
                 and (state <> 'running' or lease_until <= $1)
                 and (state = 'done' or not ${isUnresolved('k')}) limit 5000))
             returning 1`,
      values: [before],
    });
    return rows.length;
  }
}
