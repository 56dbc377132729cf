import {
  type Claim,
  claimColumns,
  claimInput,
  claimKeys,
  isRecordExpiredSql,
} from '../idempotency/claims.ts';
import { Batcher } from '../store/batcher.ts';
import { cte, int, json, jsonRows, keyColumns, nullable, oneOf, rowsOfJson, time } from '../store/columns.ts';
import { brokenConstraint, type Database } from '../store/database.ts';
import {
  type AuditedRequest,
  auditColumns,
  auditInput,
  insertAuditEntries,
} from '../users/audit/audited-requests.ts';
import type { Lease, OperationKind, Subject } from './operation.ts';
import { insertOperations, intentColumns } from './sql.ts';

/** What the processor will be asked to do about a row that exists already. */
export interface Intent {
  readonly subject: Pick<Subject, 'tenant' | 'id' | 'version'>;
  readonly kind: OperationKind;
  readonly upstreamKey: string;
  /** Account time. */
  readonly at: Date;
  readonly lease: Lease;
  readonly claim: Claim | null;
  /** Present if a user of the dashboard asks for the operation. */
  readonly audited?: AuditedRequest | null;
  /** What the audit entry says about the subject as soon as it is written. */
  readonly facts?: object;
  /** The part of the request that the feature stores, for `IntentExtension`. */
  readonly request?: object | null;
}

/** `busy`: another operation of the subject is open, or `isCurrent` does not hold. `taken`: another request claimed the key. */
export type Begun = 'begun' | 'busy' | 'taken';

/** What a feature writes together with the intent. */
export interface IntentExtension {
  readonly name: string;
  /** CTE that stores, for the rows of `fresh`, what the feature needs of `request` (a json column). */
  readonly sql: string;
  /** SQL for whether the subject of `i` is unchanged since it was read, at `i.version`: else the stored part may be useless. */
  readonly isCurrent: string;
}

const inputColumns = {
  n: int,
  ...keyColumns,
  version: int,
  kind: oneOf<OperationKind>(),
  request: nullable(json<object>()),
  created_at: time,
  ...intentColumns,
  ...auditColumns,
  ...claimColumns,
} as const;
const free = cte('free', inputColumns);
const fresh = cte('fresh', inputColumns);

const sqlOf = (also: IntentExtension | null) => `with input as (
    select * from ${rowsOfJson(inputColumns)}),
  -- This query sees an operation that is open already. If two begin at the same moment, the primary key refuses one of them.
  -- A row whose key another request has counts as free here, so that the taken key is reported and not the open operation.
  free as (
    select i.* from input i where (${also?.isCurrent ?? 'true'} and not exists (
      select from operations o
      where o.tenant = i.tenant and o.subject = i.id))
    or exists (
      select from idempotency_keys k
      where k.tenant = i.tenant and k.digest = i.idem_digest
        and not ${isRecordExpiredSql('k', 'i.created_at')})),
  ${claimKeys(free)},
  ${insertAuditEntries(fresh)},
  ${also === null ? '' : `${also.sql},`}
  ${insertOperations(fresh, 'kind')}
  select i.n, exists (select from free f where f.n = i.n) as free, exists (
      select from operations_begun b
      where b.tenant = i.tenant and b.subject = i.id) as begun
  from input i`;

/** Begins operations. Those of concurrent requests go into one statement. */
export class OperationBeginner {
  readonly #db: Database;
  readonly #statement: { readonly name: string; readonly text: string };
  readonly #begin: Batcher<Intent, Begun>;

  constructor(db: Database, also: IntentExtension | null = null) {
    this.#db = db;
    this.#statement = { name: also?.name ?? 'begin_operations', text: sqlOf(also) };
    // Two intents for one subject never share a batch: the second has to see the first.
    this.#begin = new Batcher<Intent, Begun>((intents) => this.#beginAll(intents), {
      keyOf: ({ subject }) => `${subject.tenant} ${subject.id}`,
    });
  }

  /** Commit 1: records what the processor will be asked, with the claim on the idempotency key and the audit entry. */
  async begin(intent: Intent): Promise<Begun> {
    try {
      return await this.#begin.submit(intent);
    } catch (error) {
      if (brokenConstraint(error) === 'operations_pkey') return 'busy';
      throw error;
    }
  }

  async #beginAll(intents: readonly Intent[]): Promise<Begun[]> {
    const input = intents.map(
      ({ subject, kind, upstreamKey, request, at, lease, claim, audited, facts }, n) => {
        const more = {
          n,
          kind,
          upstream_key: upstreamKey,
          request: request ?? null,
          created_at: at,
          lease_owner: lease.owner,
          lease_until: lease.until,
          ...auditInput(audited ?? null, subject.id, facts ?? {}),
          ...claimInput(claim),
        };
        return [subject, more] as const;
      },
    );
    const rows = await this.#db.query<{ n: number; free: boolean; begun: boolean }>({
      values: [jsonRows(inputColumns, input)],
      scope: intents.map(({ subject }) => subject),
      ...this.#statement,
    });
    const found = new Map(rows.map((row) => [row.n, row]));
    return intents.map((_intent, n) => {
      const row = found.get(n);
      if (row?.begun === true) return 'begun';
      return row?.free === true ? 'taken' : 'busy';
    });
  }
}
