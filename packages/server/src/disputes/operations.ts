import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { type DueQuery, type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import type { Tenant } from '../jobs/fair-queue.ts';
import type { Lease } from '../operations/operation.ts';
import type { Database, Queryable } from '../store/database.ts';
import { ownerIsGone } from '../store/instance.ts';
import { scopeOfRows } from '../store/scope.ts';
import {
  actColumns,
  actInput,
  completeActs,
  insertActs,
  nothingChanged,
  type StaffAct,
} from '../users/acts.ts';
import { type DisputeRow, disputedAmount } from './present.ts';
import { disputeColumns, withPayment } from './store.ts';

/** What is submitted with a defence; a file by its id. */
export interface Submission {
  readonly reasonCode: string | null;
  readonly statement: string | null;
  readonly evidence: readonly {
    readonly type: string;
    readonly text: string | null;
    readonly file: string | null;
  }[];
}

/** What is asked of the processor. */
export type Move = { readonly kind: 'accept' } | { readonly kind: 'defend'; readonly submission: Submission };

/** An operation without a recorded answer that is ours to carry on. */
export interface OpenOperation {
  /** As it is now, with the operation open. */
  readonly dispute: DisputeRow;
  readonly move: Move;
  readonly lease: Lease;
  /** It has never been asked of the processor before. */
  readonly fresh: boolean;
}

/** Another request claimed the idempotency key: the transaction ends without a trace. */
class LostClaim extends Error {}

/** Nobody works on it any more: left without an answer, its lease over, or its process gone. */
const isFree = (now: string) =>
  `(d.operation_state = 'unknown' or (d.operation_state = 'intent'
     and (d.lease_until <= ${now} or ${ownerIsGone('d.lease_owner')})))`;

const openOperations: DueRows = {
  name: 'tenants_with_due_dispute_operations',
  table: 'disputes',
  where: 'd.operation is not null',
  dueAt: 'd.next_try_at',
};

const keyOf = ({ account_id, livemode, id }: DisputeRow) => [account_id, livemode, id];

/** SQL on what is asked of a processor about a dispute: at most one thing is open, and whoever has its lease asks. */
export class DisputeOperationStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Records what will be asked of the processor, with the claim on the request's key.
   * @returns the operation; `busy` where the dispute changed or another operation is open; `lost` where another
   *   request claimed the key
   */
  async begin(wish: {
    dispute: DisputeRow;
    move: Move;
    /** Account time. */
    at: Date;
    lease: Lease;
    claim: Claim | null;
    act: StaffAct | null;
  }): Promise<OpenOperation | 'busy' | 'lost'> {
    const { dispute, move, lease } = wish;
    try {
      return await this.#db.transaction(async (tx) => {
        const rows = await tx.query({
          text: `update disputes set operation = $5, operation_state = 'intent', version = version + 1, tries = 0,
                   lease_owner = $6, lease_until = $7, next_try_at = $7
                 where account_id = $1 and livemode = $2 and id = $3 and version = $4 and operation is null
                 returning id`,
          values: [...keyOf(dispute), dispute.version, move.kind, lease.owner, lease.until],
        });
        if (rows.length === 0) return 'busy';
        await claimKey(tx, dispute, wish.at, wish.claim);
        if (move.kind === 'defend') await insertEvidence(tx, dispute, move.submission, wish.at);
        if (wish.act !== null) await insertAct(tx, dispute, move, wish.act);
        const begun = { ...dispute, operation: move.kind, version: dispute.version + 1, tries: 0 };
        return { dispute: begun, move, lease, fresh: true };
      });
    } catch (error) {
      if (error instanceof LostClaim) return 'lost';
      throw error;
    }
  }

  /** Takes the open operation of a dispute where nobody works on it. @param now real time */
  async takeOver(dispute: DisputeRow, lease: Lease, now: Date): Promise<OpenOperation | undefined> {
    const [row] = await this.#db.query<DisputeRow>({
      name: 'take_over_dispute_operation',
      text: `update disputes d set operation_state = 'intent', lease_owner = $4, lease_until = $5, next_try_at = $5
             from payments p
             where d.account_id = $1 and d.livemode = $2 and d.id = $3 and d.operation is not null
               and ${isFree('$6')} and p.account_id = d.account_id and p.livemode = d.livemode and p.id = d.payment_id
             returning ${disputeColumns}`,
      values: [...keyOf(dispute), lease.owner, lease.until, now],
    });
    return row && this.open(row, lease);
  }

  /** Whether somebody works on the open operation of a dispute. @param now real time */
  async isHeld(dispute: DisputeRow, now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'is_dispute_operation_held',
      text: `select 1 from disputes d
             where d.account_id = $1 and d.livemode = $2 and d.id = $3 and d.operation is not null
               and not ${isFree('$4')}`,
      values: [...keyOf(dispute), now],
    });
    return rows.length > 0;
  }

  /** Somebody asks for what is being asked already. */
  async join({ dispute, move }: OpenOperation, act: StaffAct): Promise<void> {
    await insertAct(this.#db, dispute, move, act);
  }

  /** Makes due what a process was asking when it ended. @param now real time */
  async releaseAbandoned(now: Date): Promise<void> {
    await this.#db.query({
      name: 'release_abandoned_dispute_operations',
      scope: 'everybody',
      text: `update disputes set next_try_at = $1
             where operation_state = 'intent' and next_try_at > $1 and ${ownerIsGone('lease_owner')}
             returning account_id`,
      values: [now],
    });
  }

  /** The tenants of which an operation may be due for recovery. */
  tenantsDue(query: DueQuery): Promise<Tenant[]> {
    return dueTenants(this.#db, openOperations)(query);
  }

  /**
   * Takes disputes of a tenant whose operations are due longest and that nobody works on: `open` reads what is asked.
   * @param now real time
   */
  takeDue(
    { accountId, livemode }: Tenant,
    { lease, now, most }: { lease: Lease; now: Date; most: number },
  ): Promise<DisputeRow[]> {
    return this.#db.query<DisputeRow>({
      name: 'take_due_dispute_operations',
      // A CTE runs once; a subquery with `limit` may run again for each row, and then takes more.
      text: `with due as materialized (
               select d.id as due_id from disputes d
               where d.account_id = $1 and d.livemode = $2 and d.operation is not null and d.next_try_at <= $5
                 and ${isFree('$5')}
               order by d.next_try_at limit $6 for update skip locked),
             taken as (
               update disputes d set operation_state = 'intent', lease_owner = $3, lease_until = $4, next_try_at = $4
               from due where d.account_id = $1 and d.livemode = $2 and d.id = due.due_id
               returning d.*)
             select ${disputeColumns} from taken d ${withPayment}`,
      values: [accountId, livemode, lease.owner, lease.until, now, most],
    });
  }

  /** What a dispute's operation asks for. @throws Error where its evidence is gone */
  async open(dispute: DisputeRow, lease: Lease): Promise<OpenOperation> {
    const move: Move =
      dispute.operation === 'defend'
        ? { kind: 'defend', submission: await this.#evidenceOf(dispute) }
        : { kind: 'accept' };
    return { dispute, move, lease, fresh: false };
  }

  async #evidenceOf(dispute: DisputeRow): Promise<Submission> {
    const [row] = await this.#db.query<Submission>({
      name: 'evidence_of_dispute',
      text: `select reason_code as "reasonCode", statement, evidence from dispute_evidence
             where account_id = $1 and livemode = $2 and dispute_id = $3 and attempt = $4`,
      values: [...keyOf(dispute), dispute.operations_done],
    });
    if (row === undefined) throw new Error(`the evidence of ${dispute.id} is gone`);
    return row;
  }

  /**
   * The operation ends without a change of the dispute.
   * @param answered the processor gave a definite answer: the next one is asked under another key
   */
  async close({ dispute, lease }: OpenOperation, answered: boolean): Promise<void> {
    await this.#db.query({
      name: 'close_dispute_operation',
      text: `with closed as (
               update disputes set operation = null, operation_state = null,
                 operations_done = operations_done + case when $6::boolean then 1 else 0 end
               where account_id = $1 and livemode = $2 and id = $3 and operation is not null and lease_owner = $4
                 and lease_until = $5
               returning account_id, livemode, id, operations_done),
             ${completeActs('closed', nothingChanged)}
             delete from dispute_evidence e using closed c
             where not $6::boolean and e.account_id = c.account_id and e.livemode = c.livemode and e.dispute_id = c.id
               and e.attempt = c.operations_done`,
      values: [...keyOf(dispute), lease.owner, lease.until, answered],
    });
  }

  /** No definite answer came: recovery or a retry asks again. @param nextTryAt real time */
  async leaveUnknown(
    { dispute, lease }: Pick<OpenOperation, 'dispute' | 'lease'>,
    nextTryAt: Date,
  ): Promise<void> {
    await this.#db.query({
      name: 'leave_dispute_operation_unknown',
      text: `update disputes set operation_state = 'unknown', tries = tries + 1, next_try_at = $6
             where account_id = $1 and livemode = $2 and id = $3 and operation is not null and lease_owner = $4
               and lease_until = $5`,
      values: [...keyOf(dispute), lease.owner, lease.until, nextTryAt],
    });
  }
}

async function claimKey(tx: Queryable, dispute: DisputeRow, at: Date, claim: Claim | null): Promise<void> {
  const { account_id, livemode, id } = dispute;
  const rows = await tx.query({
    text: `with input as (select * from json_to_recordset($1::json) as r (account_id text, livemode boolean, id text,
             created_at timestamptz, ${claimColumns})), ${claimKeys('input')} select id from fresh`,
    values: [JSON.stringify([{ account_id, livemode, id, created_at: at, ...claimInput(claim) }])],
    scope: scopeOfRows([dispute]),
  });
  if (rows.length === 0) throw new LostClaim();
}

async function insertAct(db: Queryable, dispute: DisputeRow, move: Move, act: StaffAct): Promise<void> {
  const { account_id, livemode, id } = dispute;
  const submitted =
    move.kind === 'accept'
      ? {}
      : {
          evidence: move.submission.evidence.map(({ type, file }) => ({ type, file })),
          statement: move.submission.statement !== null,
        };
  const facts = { ...disputedAmount(dispute), ...submitted };
  const row = { account_id, livemode, id, ...actInput(act, id, facts) };
  await db.query({
    text: `with input as (select * from json_to_recordset($1::json) as r (account_id text, livemode boolean, id text,
             ${actColumns})), ${insertActs('input')} select id from input`,
    values: [JSON.stringify([row])],
    scope: scopeOfRows([row]),
  });
}

async function insertEvidence(
  tx: Queryable,
  dispute: DisputeRow,
  { reasonCode, statement, evidence }: Submission,
  at: Date,
): Promise<void> {
  await tx.query({
    text: `insert into dispute_evidence (account_id, livemode, dispute_id, attempt, reason_code, statement, evidence,
             created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [...keyOf(dispute), dispute.operations_done, reasonCode, statement, JSON.stringify(evidence), at],
  });
}
