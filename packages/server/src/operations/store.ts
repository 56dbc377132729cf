import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import type { Clock } from '../lib/clock.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import { cte, keyColumns, time, typesOf } from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { Fences } from '../store/reach/fences.ts';
import type { ScopedStatement } from '../store/scope.ts';
import type { TenantId } from '../store/tenant.ts';
import {
  type AuditedRequest,
  auditColumns,
  auditInput,
  completeAuditEntries,
  insertAuditEntries,
  noChangeOutcome,
} from '../users/audit/audited-requests.ts';
import { type Begun, type Intent, type IntentExtension, OperationBeginner } from './begin.ts';
import { type Lease, type OpenOperation, type OperationKind, operationKinds } from './operation.ts';
import { isFree, operationColumns } from './sql.ts';

/** The key of a row that an operation changes. */
export interface Row {
  readonly tenant: TenantId;
  readonly id: string;
}

/** The request that takes an operation over: the same statement claims its key and writes its audit entry. */
export interface TakeOverRequest {
  readonly audited: AuditedRequest | null;
  readonly facts: object;
  readonly claim: Claim | null;
  /** Account time. */
  readonly at: Date;
}

const keyOf = ({ tenant, id }: Row) => [tenant, id];

/**
 * SQL for whether the take-over begins a charge anew. An `expire` that a charge may take over stands for an earlier charge that
 * the processor certainly did not carry out.
 * @param kinds SQL for the kinds that may be taken over
 */
const awaitsRetry = (kinds: string) => `(o.kind = 'expire' and 'charge' = any(${kinds}))`;

/** Input columns for the request that takes an operation over. */
const againColumns = { created_at: time, ...auditColumns, ...claimColumns } as const;
const takenColumns = { ...keyColumns, ...againColumns } as const;

const takeOverOperationStatement = {
  name: 'take_over_operation',
  text: `with input as (
         select o.tenant, o.subject as id, r.*
         from operations o cross join json_to_record($7::json) as r (${typesOf(againColumns)})
         where o.tenant = $1 and o.subject = $2 and o.kind = any($6) and ${isFree('$5')}
         for update of o),
       ${claimKeys(cte('input', takenColumns))},
       ${insertAuditEntries(cte('fresh', takenColumns))}
       update operations o set state = 'intent', lease_owner = $3, lease_until = $4,
         kind = case when ${awaitsRetry('$6')} then 'charge' else o.kind end,
         tries = case when ${awaitsRetry('$6')} then 0 else o.tries end
       from fresh f
       where o.tenant = f.tenant and o.subject = f.id
       returning ${operationColumns}`,
};

const isOperationOpenStatement = {
  name: 'is_operation_open',
  text: `select 1 from operations
       where tenant = $1 and subject = $2 and kind = any($3)`,
};

const isOperationHeldStatement = {
  name: 'is_operation_held',
  text: `select 1 from operations o
       where o.tenant = $1 and o.subject = $2
         and not (o.kind = any($3) and ${isFree('$4')})`,
};

const convertOperationStatement = {
  name: 'convert_operation',
  text: `update operations set kind = $4
       where tenant = $1 and subject = $2 and kind = any($3) and state = $5
         and (state = 'unknown' or lease_owner = $6 and lease_until = $7)
         -- A payment that was discarded meanwhile must not be charged any more.
         and ($4 <> 'charge' or draft is not null) returning 1`,
};

const endOperationStatement = {
  name: 'end_operation',
  text: `with ended as (
         delete from operations
         where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4 and draft is null
         returning tenant, subject as id),
       ${completeAuditEntries(cte('ended', keyColumns), noChangeOutcome)}
       select id from ended`,
};

const leaveOperationUnknownStatement = {
  name: 'leave_operation_unknown',
  text: `update operations set state = 'unknown', tries = tries + 1, next_try_at = $5
       where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4`,
};

const leaveOperationToRecoveryStatement = {
  name: 'leave_operation_to_recovery',
  text: `update operations set state = 'unknown', tries = greatest(tries, 1),
         next_try_at = case when tries = 0 then $5 else greatest(next_try_at, $5) end
       where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4`,
};

const expediteOperationStatement = {
  name: 'expedite_operation',
  text: `update operations set next_try_at = least(next_try_at, $3)
       where tenant = $1 and subject = $2 and state = 'unknown' and kind <> 'charge'
       returning 1`,
};

/** SQL on open operations. A subject has at most one, and only the holder of its lease may change the subject. */
export class OperationStore {
  readonly #db: Database;
  readonly #owner: number;
  /** Writes the result of a request to a processor. It waits for seconds if the account is just being moved to another cell. */
  readonly pastFence: Fences['past'];
  readonly #beginner: OperationBeginner;

  /**
   * @param owner number of this process. It ends or leaves only operations that it holds, and only under the lease that the
   *   caller names: recovery in this same process may have taken the operation over meanwhile
   * @param also what else is written with the intent; null: nothing
   */
  constructor(
    { db, clock }: { readonly db: Database; readonly clock: Pick<Clock, 'elapsed' | 'delay'> },
    owner: number,
    also: IntentExtension | null = null,
  ) {
    this.#db = db;
    const fences = new Fences(clock);
    this.pastFence = (write, suspend) => fences.past(write, suspend);
    this.#owner = owner;
    this.#beginner = new OperationBeginner(db, also);
  }

  /** Commit 1: records what the processor will be asked, with the claim on the idempotency key and the audit entry. */
  begin(intent: Intent): Promise<Begun> {
    return this.#beginner.begin(intent);
  }

  /** Takes over the subject's open operation if it is of one of these kinds and nobody works on it. @param now real time */
  async takeOver(
    row: Row,
    kinds: readonly OperationKind[],
    lease: Lease,
    now: Date,
    again: TakeOverRequest | null = null,
  ): Promise<OpenOperation | undefined> {
    const input = {
      ...auditInput(again?.audited ?? null, row.id, again?.facts ?? {}),
      ...claimInput(again?.claim ?? null),
      created_at: again?.at ?? null,
    };
    const [taken] = await this.#db.query<OpenOperation>({
      values: [...keyOf(row), lease.owner, lease.until, now, kinds, JSON.stringify(input)],
      scope: row,
      ...takeOverOperationStatement,
    });
    return taken;
  }

  /** Whether the subject has an open operation. @param kinds counts only operations of these kinds */
  async isOpen(row: Row, kinds: readonly OperationKind[] = operationKinds): Promise<boolean> {
    const rows = await this.#db.query({
      values: [...keyOf(row), kinds],
      scope: row,
      ...isOperationOpenStatement,
    });
    return rows.length > 0;
  }

  /**
   * Whether the subject has an open operation that may not be resumed: it is of another kind, or somebody works on it.
   * @param kinds the kinds that may be resumed, as with `takeOver` @param now real time
   */
  async isHeld(row: Row, kinds: readonly OperationKind[], now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      values: [...keyOf(row), kinds, now],
      scope: row,
      ...isOperationHeldStatement,
    });
    return rows.length > 0;
  }

  /**
   * Changes the open operation to another kind, under the same upstream key.
   * @param change `leaseUntil`: end of the lease under which this process holds it; null: change it only while no process does
   * @returns false if there is no operation of these kinds in that state
   */
  async convert(
    row: Row,
    change: { from: readonly OperationKind[]; to: OperationKind; leaseUntil: Date | null },
  ): Promise<boolean> {
    const rows = await this.#db.query({
      values: [
        ...keyOf(row),
        change.from,
        change.to,
        change.leaseUntil === null ? 'unknown' : 'intent',
        this.#owner,
        change.leaseUntil,
      ],
      scope: row,
      ...convertOperationStatement,
    });
    return rows.length > 0;
  }

  /**
   * Ends the operation without a change of its subject: the definite answer moved nothing.
   * @returns false if this process no longer holds it
   */
  async end(row: Row, leaseUntil: Date, suspend?: Suspend): Promise<boolean> {
    const ended = await this.#writeEnd(suspend, {
      values: [...keyOf(row), this.#owner, leaseUntil],
      scope: row,
      ...endOperationStatement,
    });
    return ended.length > 0;
  }

  /** Recovery got no definite answer: it asks again later, unless a retry asks first. @param nextTryAt real time */
  async leaveUnknown(row: Row, leaseUntil: Date, nextTryAt: Date, suspend?: Suspend): Promise<void> {
    await this.#writeEnd(suspend, {
      values: [...keyOf(row), this.#owner, leaseUntil, nextTryAt],
      scope: row,
      ...leaveOperationUnknownStatement,
    });
  }

  /**
   * A request got no definite answer. After the first request recovery looks soon; after a retry it keeps to its own plan, so
   * that a client that retries often does not use up the tries that are left to retries.
   * @param soon real time
   */
  async leaveToRecovery(row: Row, leaseUntil: Date, soon: Date, suspend?: Suspend): Promise<void> {
    await this.#writeEnd(suspend, {
      values: [...keyOf(row), this.#owner, leaseUntil, soon],
      scope: row,
      ...leaveOperationToRecoveryStatement,
    });
  }

  #writeEnd(suspend: Suspend | undefined, statement: ScopedStatement): Promise<unknown[]> {
    return this.pastFence(() => this.#db.query(statement), suspend);
  }

  /**
   * Makes recovery look at the open operation now, because something changed or another operation waits for it. A charge keeps
   * its plan: after an attempt of recovery the merchant's retry might no longer be able to carry the charge out.
   * @param now real time
   * @returns false for a charge, while somebody works on the operation, or if none is open
   */
  async expedite(row: Row, now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      values: [...keyOf(row), now],
      scope: row,
      ...expediteOperationStatement,
    });
    return rows.length > 0;
  }
}
