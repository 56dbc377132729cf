import { type Claim, claimColumns, claimInput, claimKeys, isRecordOver } from '../idempotency/claims.ts';
import { Batcher } from '../store/batcher.ts';
import { brokenConstraint, type Database } from '../store/database.ts';
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
import type { PaymentRow } from './present.ts';

export type OperationKind = 'charge' | 'confirm' | 'capture' | 'void' | 'expire' | 'cancel';

/** Who works on an operation, and until when nobody else may. Real time. */
export interface Lease {
  readonly owner: number;
  readonly until: Date;
}

/** An effect asked of the processor that has no recorded answer. */
export interface OpenOperation {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly payment_id: string;
  readonly kind: OperationKind;
  readonly upstream_key: string;
  readonly tries: number;
  /** Until when nobody else may work on it: with its owner it tells this hold from a later one. Real time. */
  readonly lease_until: Date;
}

/** How often recovery leaves an unanswered charge to the merchant's retry, which knows the card. */
export const triesLeftToRetries = 2;

export const operationColumns =
  'o.account_id, o.livemode, o.id, o.payment_id, o.kind, o.upstream_key, o.tries, o.lease_until';
/** An operation that nobody works on any more: left without an answer, its lease over, or its process gone. */
export const isOperationFree = (now: string, o = 'o') =>
  `(${o}.state = 'unknown'
    or (${o}.state = 'intent' and (${o}.lease_until <= ${now} or ${ownerIsGone(`${o}.lease_owner`)})))`;

/** SQL for whether a retry begins anew what was certainly not carried out. @param kinds which it asks for */
const awaitsRetry = (o: string, kinds: string) => `(${o}.kind = 'expire' and 'charge' = any(${kinds}))`;

const beginSql = `with input as (
    select * from json_to_recordset($1::json) as r (account_id text, livemode boolean, id text, operation_id text,
      kind text, upstream_key text, created_at timestamptz, lease_owner bigint, lease_until timestamptz,
      ${actColumns}, ${claimColumns})),
  -- One that is open already is seen here; only of two that begin at the same moment does the constraint refuse one.
  -- Whoever comes with a key that another request has is told so first.
  free as (
    select i.* from input i where not exists (
      select from operations o
      where o.account_id = i.account_id and o.livemode = i.livemode and o.payment_id = i.id and o.state <> 'settled')
    or exists (
      select from idempotency_keys k
      where k.account_id = i.account_id and k.livemode = i.livemode and k.scope = i.idem_scope and k.key = i.idem_key
        and not ${isRecordOver('k', 'i.created_at')})),
  ${claimKeys('free')},
  ${insertActs('fresh')},
  begun as (
    insert into operations (account_id, livemode, id, payment_id, kind, upstream_key, state, created_at, lease_owner,
      lease_until, next_try_at)
    select account_id, livemode, operation_id, id, kind, upstream_key, 'intent', created_at, lease_owner, lease_until,
      lease_until
    from fresh order by account_id, livemode, id
    returning id)
  select i.operation_id as id, exists (select from free f where f.operation_id = i.operation_id) as free,
    exists (select from begun b where b.id = i.operation_id) as begun
  from input i`;

/** What will be asked of the processor, with the claim on the request's key. */
interface OperationIntent {
  readonly payment: PaymentRow;
  readonly id: string;
  readonly kind: OperationKind;
  readonly upstreamKey: string;
  /** Account time. */
  readonly at: Date;
  readonly lease: Lease;
  readonly claim: Claim | null;
  readonly act?: StaffAct | null;
}

/** What the audit log says of a payment that somebody acts on. */
const factsOf = ({ amount, currency }: PaymentRow) => ({ amount, currency });

/** SQL on operations: at most one of a payment is open, and whoever holds its lease may change the payment. */
export class OperationStore {
  readonly #db: Database;
  readonly #owner: number;
  readonly #begin: Batcher<OperationIntent, 'begun' | 'busy' | 'lost'>;

  /** @param owner this process' number: only what it holds itself does it close or leave */
  constructor(db: Database, owner: number) {
    this.#db = db;
    this.#owner = owner;
    // Of two for one payment the second is to see the first.
    this.#begin = new Batcher<OperationIntent, 'begun' | 'busy' | 'lost'>((rows) => this.#beginAll(rows), {
      keyOf: ({ payment }) => `${payment.account_id} ${payment.livemode} ${payment.id}`,
    });
  }

  /**
   * Records what will be asked of the processor, with the claim on the request's key.
   * @returns `busy` while another operation of the payment is open; `lost` where another request claimed the key
   */
  async begin(intent: OperationIntent): Promise<'begun' | 'busy' | 'lost'> {
    try {
      return await this.#begin.submit(intent);
    } catch (error) {
      if (brokenConstraint(error) === 'operations_one_unsettled') return 'busy';
      throw error;
    }
  }

  async #beginAll(intents: readonly OperationIntent[]): Promise<('begun' | 'busy' | 'lost')[]> {
    const input = intents.map(({ payment, id, kind, upstreamKey, at, lease, claim, act }) => ({
      account_id: payment.account_id,
      livemode: payment.livemode,
      id: payment.id,
      operation_id: id,
      kind,
      upstream_key: upstreamKey,
      created_at: at,
      lease_owner: lease.owner,
      lease_until: lease.until,
      ...actInput(act ?? null, payment.id, factsOf(payment)),
      ...claimInput(claim),
    }));
    const rows = await this.#db.query<{ id: string; free: boolean; begun: boolean }>({
      name: 'begin_operations',
      text: beginSql,
      values: [JSON.stringify(input)],
      scope: scopeOfRows(input),
    });
    const found = new Map(rows.map((row) => [row.id, row]));
    return intents.map(({ id }) => {
      const row = found.get(id);
      if (row?.begun === true) return 'begun';
      return row?.free === true ? 'lost' : 'busy';
    });
  }

  /**
   * Takes the payment's open operation of one of these kinds where nobody works on it.
   * @param now real time
   * @param asked by whom it is asked for again, at which account time: the key is claimed with it
   */
  async takeOver(
    payment: PaymentRow,
    kinds: readonly OperationKind[],
    lease: Lease,
    now: Date,
    asked: { act: StaffAct | null; claim: Claim | null; at: Date } | null = null,
  ): Promise<OpenOperation | undefined> {
    const { account_id: accountId, livemode, id } = payment;
    const input = {
      ...actInput(asked?.act ?? null, id, factsOf(payment)),
      ...claimInput(asked?.claim ?? null),
      created_at: asked?.at ?? null,
    };
    const [row] = await this.#db.query<OpenOperation>({
      name: 'take_over_operation',
      text: `with input as (
               select o.account_id, o.livemode, o.payment_id as id, o.id as operation_id, r.*
               from operations o cross join json_to_record($8::json) as r (created_at timestamptz, ${actColumns},
                 ${claimColumns})
               where o.account_id = $1 and o.livemode = $2 and o.payment_id = $3 and o.state <> 'settled'
                 and o.kind = any($7) and ${isOperationFree('$6')}
               for update of o),
             ${claimKeys('input')},
             ${insertActs('fresh')}
             update operations o set state = 'intent', lease_owner = $4, lease_until = $5,
               kind = case when ${awaitsRetry('o', '$7')} then 'charge' else o.kind end,
               tries = case when ${awaitsRetry('o', '$7')} then 0 else o.tries end
             from fresh f
             where o.account_id = f.account_id and o.livemode = f.livemode and o.id = f.operation_id
             returning ${operationColumns}`,
      values: [accountId, livemode, id, lease.owner, lease.until, now, kinds, JSON.stringify(input)],
    });
    return row;
  }

  /** Whether an operation of the payment is open. */
  async isOpen(payment: PaymentRow): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'is_operation_open',
      text: `select 1 from operations
             where account_id = $1 and livemode = $2 and payment_id = $3 and state <> 'settled'`,
      values: [payment.account_id, payment.livemode, payment.id],
    });
    return rows.length > 0;
  }

  /**
   * Whether an operation of the payment is open that may not be carried on: of another kind, or worked on.
   * @param kinds what may be carried on, as with `takeOver`
   * @param now real time
   */
  async isHeld(payment: PaymentRow, kinds: readonly OperationKind[], now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'is_operation_held',
      text: `select 1 from operations o
             where o.account_id = $1 and o.livemode = $2 and o.payment_id = $3 and o.state <> 'settled'
               and not (o.kind = any($4) and ${isOperationFree('$5')})`,
      values: [payment.account_id, payment.livemode, payment.id, kinds, now],
    });
    return rows.length > 0;
  }

  /**
   * Makes another operation of the open one, under the same upstream key.
   * @param turn `while`: `intent` where it is ours, `unknown` where nobody may be asking about it
   * @returns false where there is none of these kinds in that state
   */
  async turn(
    payment: PaymentRow,
    turn: { from: readonly OperationKind[]; to: OperationKind; while: 'intent' | 'unknown' },
  ): Promise<boolean> {
    const { account_id: accountId, livemode, id } = payment;
    const rows = await this.#db.query({
      name: 'turn_operation',
      text: `update operations set kind = $5
             where account_id = $1 and livemode = $2 and payment_id = $3 and kind = any($4) and state = $6
               and (state = 'unknown' or lease_owner = $7) returning 1`,
      values: [accountId, livemode, id, turn.from, turn.to, turn.while, this.#owner],
    });
    return rows.length > 0;
  }

  /** The operation ends without a change of the payment: a definite answer that moved nothing. */
  async close(payment: PaymentRow, at: Date): Promise<void> {
    await this.#db.query({
      name: 'close_operation',
      text: `with closed as (
               update operations set state = 'settled', settled_at = $4
               where account_id = $1 and livemode = $2 and payment_id = $3 and state <> 'settled'
                 and lease_owner = $5
               returning account_id, livemode, payment_id as id),
             ${completeActs('closed', nothingChanged)}
             select id from closed`,
      values: [payment.account_id, payment.livemode, payment.id, at, this.#owner],
    });
  }

  /** No definite answer came to recovery: it asks again, unless a retry does. @param nextTryAt real time */
  async leaveUnknown(payment: PaymentRow, nextTryAt: Date): Promise<void> {
    await this.#db.query({
      name: 'leave_operation_unknown',
      text: `update operations set state = 'unknown', tries = tries + 1, next_try_at = $4
             where account_id = $1 and livemode = $2 and payment_id = $3 and state <> 'settled'
               and lease_owner = $5`,
      values: [payment.account_id, payment.livemode, payment.id, nextTryAt, this.#owner],
    });
  }

  /**
   * No definite answer came to a request. Recovery looks soon after the first of them; after a repeat it keeps to its own
   * plan, so that a client that repeats often does not use up what is left to repeats.
   * @param soon real time
   */
  async leaveToRecovery(payment: PaymentRow, soon: Date): Promise<void> {
    await this.#db.query({
      name: 'leave_operation_to_recovery',
      text: `update operations set state = 'unknown', tries = greatest(tries, 1),
               next_try_at = case when tries = 0 then $4 else greatest(next_try_at, $4) end
             where account_id = $1 and livemode = $2 and payment_id = $3 and state <> 'settled'
               and lease_owner = $5`,
      values: [payment.account_id, payment.livemode, payment.id, soon, this.#owner],
    });
  }

  /**
   * There is news, or another operation waits: recovery should look at the open one now. A charge keeps its plan, since
   * what recovery does first may be what the merchant's retry can no longer do after it.
   * @param now real time
   * @returns false while it is being asked about, or where none is open
   */
  async expedite(payment: PaymentRow, now: Date): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'expedite_operation',
      text: `update operations set next_try_at = least(next_try_at, $4)
             where account_id = $1 and livemode = $2 and payment_id = $3 and state = 'unknown' and kind <> 'charge'
             returning 1`,
      values: [payment.account_id, payment.livemode, payment.id, now],
    });
    return rows.length > 0;
  }
}
