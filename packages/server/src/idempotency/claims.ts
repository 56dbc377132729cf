import { approvalHours, limits } from '@till/contract';
import { sha256 } from '../lib/keys.ts';
import {
  bigint,
  bytesInJson,
  type Cte,
  int,
  jsonBytes,
  type KeyColumn,
  nullable,
  type RowOf,
  text,
  time,
} from '../store/columns.ts';

/** A request's claim on its idempotency key: this request, and no other with the key, runs the operation. */
export interface Claim {
  readonly scope: string;
  readonly key: string;
  /** Keyed hash (HMAC) of the request body, in hex. */
  readonly fingerprint: string;
  /** Id for the event that the request causes, if it causes one. That event then stores the answer. */
  readonly eventId: string;
  /** Number of the process that works on the request. */
  readonly owner: number;
  readonly leaseUntil: Date;
}

/**
 * The hash of method, path and key that identifies a record; it takes half the space of these in the row and its index. It is
 * computed here and not in SQL: under row-level security an index does not serve a condition that calls other functions.
 */
export const recordDigest = ({ scope, key }: Pick<Claim, 'scope' | 'key'>): Buffer =>
  sha256(`${scope}\n${key}`).subarray(0, 16);

/** Columns of a statement's input that hold a claim. */
export const claimColumns = {
  idem_digest: nullable(jsonBytes),
  idem_fingerprint: nullable(text),
  idem_owner: nullable(bigint),
  idem_lease_until: nullable(time),
  idem_event_id: nullable(text),
} as const;

/** The values of `claimColumns`; nulls if the request has no idempotency key. */
export function claimInput(claim: Claim | null): RowOf<typeof claimColumns> {
  return {
    idem_digest: claim && bytesInJson(recordDigest(claim)),
    idem_fingerprint: claim?.fingerprint ?? null,
    idem_owner: claim?.owner ?? null,
    idem_lease_until: claim?.leaseUntil ?? null,
    idem_event_id: claim?.eventId ?? null,
  };
}

/** An answer to be replayed. */
export interface ClaimedAnswer {
  readonly claim: Claim;
  readonly status: number;
  readonly body: string;
}

/**
 * Decides where an answer is stored. If the request caused an event, the event's object is the answer, and the record, which
 * names the event, is not written again. Any other answer is stored in the record.
 * @param event whose object equals the body of the answer
 */
export const placeOfAnswer = (
  answer: ClaimedAnswer | null,
  event: { readonly id: string } | null,
): {
  readonly inRecord: (Omit<ClaimedAnswer, 'body'> & { body: string | null }) | null;
  readonly statusOfEvent: number | null;
} =>
  answer !== null && event?.id === answer.claim.eventId
    ? { inRecord: { ...answer, body: null }, statusOfEvent: answer.status }
    : { inRecord: answer, statusOfEvent: null };

/** Columns of a statement's input that hold an answer to be stored in its record. */
export const answerColumns = {
  idem_digest: nullable(jsonBytes),
  idem_status: nullable(int),
  idem_body: nullable(text),
} as const;

/** The values of `answerColumns`; nulls if nothing is to be replayed, and for a body that the event stores. */
export const answerInput = (
  answer: (Omit<ClaimedAnswer, 'body'> & { readonly body: string | null }) | null,
): RowOf<typeof answerColumns> => ({
  idem_digest: answer && bytesInJson(recordDigest(answer.claim)),
  idem_status: answer?.status ?? null,
  idem_body: answer?.body ?? null,
});

/** SQL for whether the payment or refund that the request of a record `k` began still waits for the processor's answer. */
export const isUnresolved = (k: string): string =>
  `exists (select from operations o where o.tenant = ${k}.tenant and o.subject = ${k}.resource_id
    and (o.draft is not null or o.kind = 'refund'))`;

/** How many hours (account time) a record is kept. If its request waits for an approval: as long as that may stay open. */
export const retentionHoursOf = (resourceId: string): number =>
  resourceId.startsWith('apr_') ? approvalHours : limits.idempotencyHours;

/** SQL for how much longer than usual a record `k` is kept (see `retentionHoursOf`). */
export const extraRetentionSql = (k: string): string =>
  `case when starts_with(${k}.resource_id, 'apr_') then interval '${approvalHours - limits.idempotencyHours} hours'
     else interval '0' end`;

/**
 * SQL for whether a record `k` is over at that time, so that a new request may claim its key: after 24 hours of account time
 * (spec, "Idempotency"), unless the outcome of its request is still unknown, or a person may still decide on it.
 */
export const isRecordExpiredSql = (k: string, now: string): string =>
  `(${k}.created_at <= ${now} - interval '${limits.idempotencyHours} hours' - ${extraRetentionSql(k)}
    and (${k}.state = 'done' or not ${isUnresolved(k)}))`;

/**
 * CTEs that claim the keys of `input` and leave in `fresh`, with the same columns, the rows that may proceed: those that got
 * their key and those that have none. A record that is over gives its key to the new request.
 * @param input a CTE whose `id` is the id of the new resource
 * @param answer SQL for state, status and body if the answer is known at once
 */
export function claimKeys(
  { name: input }: Cte<KeyColumn | 'created_at' | keyof typeof claimColumns>,
  answer = { state: `'running'`, status: 'null::int', body: 'null::text' },
): string {
  return `claimed as (
    insert into idempotency_keys as k (tenant, digest, fingerprint, state, event_id, lease_owner, lease_until,
      resource_id, status, body, created_at)
    select tenant, idem_digest, decode(idem_fingerprint, 'hex'), ${answer.state}, idem_event_id, idem_owner,
      idem_lease_until, id, ${answer.status}, ${answer.body}, created_at
    from ${input} where idem_digest is not null order by tenant, idem_digest
    on conflict (tenant, digest) do update set
      fingerprint = excluded.fingerprint, state = excluded.state, event_id = excluded.event_id,
      lease_owner = excluded.lease_owner, lease_until = excluded.lease_until, resource_id = excluded.resource_id, status = excluded.status,
      body = excluded.body, created_at = excluded.created_at
    where ${isRecordExpiredSql('k', 'excluded.created_at')}
    returning k.tenant, k.resource_id
  ), fresh as (
    select i.* from ${input} i
    where i.idem_digest is null or exists (
      select from claimed c
      where c.tenant = i.tenant and c.resource_id = i.id)
  )`;
}

/**
 * CTE that stores the answers of `input`'s rows under their keys, to be replayed byte for byte. An answer that its event stores
 * goes into the record only if the record names another event: then a retry took the record over, and has to get the answer of
 * the first request.
 */
export function storeAnswers({
  name: input,
}: Cte<KeyColumn | keyof typeof answerColumns | 'event_id' | 'event_object' | 'event_answer'>): string {
  return `answered as (
    update idempotency_keys k set state = 'done', status = i.idem_status,
      body = coalesce(i.idem_body, i.event_object)
    from ${input} i
    where k.tenant = i.tenant and k.digest = i.idem_digest
      and k.resource_id = i.id and k.state <> 'done'
      and (i.event_answer is null or k.event_id is distinct from i.event_id)
  )`;
}
