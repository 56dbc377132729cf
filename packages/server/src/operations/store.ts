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
  nothingChanged,
} from '../users/audit/audited-requests.ts';
import { type AlsoKeep, type Begun, type Intent, OperationBeginner } from './begin.ts';
import { type Lease, type OpenOperation, type OperationKind, operationKinds } from './operation.ts';
import { isFree, operationColumns } from './sql.ts';

/** A row that an operation changes. */
export interface Row {
  readonly tenant: TenantId;
  readonly id: string;
}

/** By whom an operation is asked for again: the key is claimed, and the audit entry written, with the take-over. */
export interface Again {
  readonly audited: AuditedRequest | null;
  readonly facts: object;
  readonly claim: Claim | null;
  /** Account time. */
  readonly at: Date;
}

const keyOf = ({ tenant, id }: Row) => [tenant, id];

/** SQL for whether a repeat begins anew what was certainly not carried out. @param kinds which it asks for */
const awaitsRetry = (kinds: string) => `(o.kind = 'expire' and 'charge' = any(${kinds}))`;

/** What a request brings that takes an operation over. */
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
         -- A payment that was discarded meanwhile has nothing left to be charged.
         and ($4 <> 'charge' or draft is not null) returning 1`,
};

const endOperationStatement = {
  name: 'end_operation',
  text: `with ended as (
         delete from operations
         where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4 and draft is null
         returning tenant, subject as id),
       ${completeAuditEntries(cte('ended', keyColumns), nothingChanged)}
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

/** SQL on open operations. At most one of a subject is open, and only the holder of its lease may change the subject. */
export class OperationStore {
  readonly #db: Database;
  readonly #owner: number;
  /** Writes what became of a request to a processor, as soon as a move lets it. */
  readonly pastFence: Fences['past'];
  readonly #beginner: OperationBeginner;

  /**
   * @param owner this process' number: only what it holds itself does it end or leave, and only under the same lease, since
   *   recovery of this process may have taken it over meanwhile
   * @param also what else is kept with the intent; null: nothing
   */
  constructor(
    { db, clock }: { readonly db: Database; readonly clock: Pick<Clock, 'elapsed' | 'delay'> },
    owner: number,
    also: AlsoKeep | null = null,
  ) {
    this.#db = db;
    const fences = new Fences(clock);
    this.pastFence = (write, suspend) => fences.past(write, suspend);
    this.#owner = owner;
    this.#beginner = new OperationBeginner(db, also);
  }

  /** Records what will be asked of the processor, with the claim on the request's key and its audit entry. */
  begin(intent: Intent): Promise<Begun> {
    return this.#beginner.begin(intent);
  }

  /** Takes the subject's open operation of one of these kinds where nobody works on it. @param now real time */
  async takeOver(
    row: Row,
    kinds: readonly OperationKind[],
    lease: Lease,
    now: Date,
    again: Again | null = null,
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

  /** Whether an operation of the subject is open. @param kinds of these only */
  async isOpen(row: Row, kinds: readonly OperationKind[] = operationKinds): Promise<boolean> {
    const rows = await this.#db.query({
      values: [...keyOf(row), kinds],
      scope: row,
      ...isOperationOpenStatement,
    });
    return rows.length > 0;
  }

  /**
   * Whether an operation of the subject is open that may not be resumed: of another kind, or worked on.
   * @param kinds what may be resumed, as with `takeOver` @param now real time
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
   * Makes an operation of another kind of the open one, under the same upstream key.
   * @param change `leaseUntil` of the lease under which this process holds it; null: while no process does
   * @returns false where there is none of these kinds in that state
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
   * The operation ends without a change of its subject: a definite answer that moved nothing.
   * @returns false where this process holds it no more
   */
  async end(row: Row, leaseUntil: Date, suspend?: Suspend): Promise<boolean> {
    const ended = await this.#writeEnd(suspend, {
      values: [...keyOf(row), this.#owner, leaseUntil],
      scope: row,
      ...endOperationStatement,
    });
    return ended.length > 0;
  }

  /** No definite answer came to recovery: it asks again, unless a repeat does. @param nextTryAt real time */
  async leaveUnknown(row: Row, leaseUntil: Date, nextTryAt: Date, suspend?: Suspend): Promise<void> {
    await this.#writeEnd(suspend, {
      values: [...keyOf(row), this.#owner, leaseUntil, nextTryAt],
      scope: row,
      ...leaveOperationUnknownStatement,
    });
  }

  /**
   * No definite answer came to a request. Recovery looks soon after the first of them; after a repeat it keeps to its own
   * plan, so that a client that repeats often does not use up what is left to repeats.
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
   * Something changed, or another operation waits: recovery should look at the open one now. A charge keeps its plan, since
   * what recovery does first may be what the merchant's retry can no longer do after it.
   * @param now real time
   * @returns false while it is being asked about, or where none is open
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
