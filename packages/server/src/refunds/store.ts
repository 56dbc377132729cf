import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import {
  answerColumns,
  answerInput,
  type Claim,
  claimColumns,
  claimInput,
  claimKeys,
  placeOfAnswer,
  storeAnswers,
} from '../idempotency/claims.ts';
import { insertMails, mailColumns, type NewMail } from '../mail/store.ts';
import type { Lease, OperationKind } from '../operations/operation.ts';
import { convertOperations, endOperations, insertOperations, intentColumns } from '../operations/sql.ts';
import { Batcher } from '../store/batcher.ts';
import {
  assigned,
  bigint,
  bool,
  cte,
  int,
  jsonRows,
  listOf,
  nullable,
  oneOf,
  only,
  rowsOfJson,
  text,
  time,
  without,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { foundRows, type ListedRow, matchingPage } from '../store/list.ts';
import { numbered } from '../store/sql.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import {
  type AuditedRequest,
  auditColumns,
  auditInput,
  completeAuditEntriesWithStatus,
  insertAuditEntries,
} from '../users/audit/audited-requests.ts';
import { findRefunds } from './reads.ts';
import { type PaymentKey, type Refundable, refundablesOf, requireFound, restOf } from './refundable.ts';
import { type RefundRow, refundColumns } from './row.ts';

/**
 * Data of the commit before the request to the processor: the key's claim, the refund, and its amount, taken from the payment.
 */
export interface RefundIntent {
  readonly refund: RefundRow;
  /** The refundable rest that the amount was computed from, which must not have changed; null if the request named the amount. */
  readonly seenLeft: number | null;
  /**
   * Whether the refund was already made in the processor's dashboard. Then it is recorded even if a chargeback keeps the amount.
   */
  readonly isMade: boolean;
  readonly lease: Lease;
  readonly claim: Claim | null;
  /** The audited request, if the refund is requested in the dashboard. */
  readonly audited: AuditedRequest | null;
}

/** Data of the commit that applies the processor's response or notification. */
export interface RefundChange {
  /** The refund's new state. `version` and `event_count` are still the values that were read. */
  readonly refund: RefundRow;
  /** The kind in which its operation continues, and when that is due (real time); null if the operation ends. */
  readonly next: { readonly kind: OperationKind; readonly at: Date } | null;
  /** Whether the refund fails and returns its amount to the payment's refundable rest. */
  readonly givesBack: boolean;
  readonly event: NewEvent | null;
  /** Mails to the owners and admins if it failed. */
  readonly mails: readonly NewMail[] | null;
  readonly answer: { readonly claim: Claim; readonly status: number; readonly body: string } | null;
}

const columns = listOf(refundColumns);

const begunColumns = without(refundColumns, 'version', 'event_count');
const intentInput = {
  n: int,
  ...begunColumns,
  seen_left: nullable(bigint),
  is_made: bool,
  ...intentColumns,
  ...auditColumns,
  ...claimColumns,
} as const;
const fresh = cte('fresh', intentInput);

const answeredColumns = only(refundColumns, 'status', 'failure_code', 'failure_message', 'upstream_id');
const changeInput = {
  n: int,
  ...only(refundColumns, 'tenant', 'id', 'payment_id', 'version', 'amount'),
  ...answeredColumns,
  next_kind: nullable(oneOf<OperationKind>()),
  next_try_at: nullable(time),
  gives_back: bool,
  ...mailColumns,
  ...answerColumns,
  ...eventColumns,
} as const;
const mailsIn = cte('mails_in', { account_id: text, ...mailColumns });
const won = cte('won', changeInput);

/*
 * The payment's row is locked before the key is claimed, so that each of several concurrent refunds sees the amounts that the
 * others took and a chargeback keeps. Under READ COMMITTED the lock reads the newest version of the row, regardless of the
 * statement's snapshot.
 */
const beginSql = `with input as (select * from ${rowsOfJson(intentInput)}),
  possible as materialized (
    select i.* from input i
    join payments p on p.tenant = i.tenant and p.id = i.payment_id
    where p.status = 'succeeded'
      and i.amount <= case when i.is_made then p.amount - p.refunded_amount else ${restOf('p')} end
      and (i.seen_left is null or i.seen_left = ${restOf('p')})
    order by p.id for update of p),
  ${claimKeys(cte('possible', intentInput))},
  taken as (
    update payments p set refunded_amount = p.refunded_amount + f.amount from fresh f
    where p.tenant = f.tenant and p.id = f.payment_id
    returning f.n),
  ${insertAuditEntries(fresh)},
  ${numbered('refunds_in', 'refunds', fresh)},
  refunds_done as (
    insert into refunds (${listOf(begunColumns)}, seq, version, event_count)
    select ${listOf(begunColumns)}, seq, 1, 0 from refunds_in),
  asked as (select * from fresh where not is_made),
  ${insertOperations(cte('asked', intentInput), "'refund'")}
  select i.n, exists (select from possible p where p.n = i.n) as possible,
    exists (select from taken t where t.n = i.n) as begun
  from input i`;

const changeSql = `with input as (select * from ${rowsOfJson(changeInput)}),
  changed as (
    update refunds r set ${assigned(answeredColumns, 'i')}, version = r.version + 1,
      event_count = r.event_count + case when i.event_id is null then 0 else 1 end
    from input i
    where r.tenant = i.tenant and r.id = i.id and r.version = i.version
    returning i.n),
  won as (select i.* from input i join changed c on c.n = i.n),
  ${endOperations(won, 's.next_kind is null')},
  ${convertOperations(won, { kind: 's.next_kind', key: 'o.upstream_key', condition: 's.next_kind is not null', at: 's.next_try_at' })},
  given_back as (
    update payments p set refunded_amount = p.refunded_amount - w.amount from won w
    where w.gives_back and p.tenant = w.tenant and p.id = w.payment_id),
  ${completeAuditEntriesWithStatus(won)},
  ${mailsIn.name} as (
    select t.account_id, w.mails from won w join tenants t on t.tenant = w.tenant where w.mails is not null),
  mailed as (${insertMails(mailsIn)}),
  ${insertEvents(won)},
  ${storeAnswers(won)}
  select n, exists (select from deliveries_in d where d.event_id = won.event_id) as has_deliveries from won`;

/** The result of a change that was written. */
type Changed = { readonly hasDeliveries: boolean };

/** The facts in the audit log entry of a requested refund. */
const factsOf = ({ id, amount, currency, reason, status }: RefundRow) => ({
  refund: id,
  amount,
  currency,
  reason,
  status,
});

const listStatement = {
  name: 'list_refunds',
  text: matchingPage(
    { table: 'refunds', columns: `${columns}, seq` },
    { where: 'tenant = $1 and payment_id = $2', skip: '$3', take: '$4' },
  ),
};

/** SQL on refunds. */
export class RefundStore {
  readonly #db: Queryable;
  readonly #begin: Batcher<RefundIntent, 'begun' | 'impossible' | 'lost'>;
  readonly #change: Batcher<RefundChange, Changed | undefined>;
  readonly #find: Batcher<Pick<RefundRow, 'tenant' | 'id'>, RefundRow | undefined>;
  readonly #refundable: Batcher<PaymentKey, Refundable | undefined>;

  /** @param fanOutOf number of deliveries that an event of a tenant writes; omitted if none need counting */
  constructor(db: Queryable, fanOutOf: (tenant: TenantId) => number = () => 0) {
    this.#db = db;
    // Two refunds of one payment in the same statement would not see each other, so the key keeps them apart.
    const keyOf = ({ refund }: { refund: RefundRow }) => `${refund.tenant} ${refund.payment_id}`;
    this.#begin = new Batcher<RefundIntent, 'begun' | 'impossible' | 'lost'>((rows) => this.#beginAll(rows), {
      keyOf,
    });
    this.#change = new Batcher<RefundChange, Changed | undefined>((rows) => this.#changeAll(rows), {
      keyOf,
      fanOutOf: ({ refund, event }) => (event === null ? 0 : fanOutOf(refund.tenant)),
    });
    this.#find = new Batcher((keys) => findRefunds(db, keys));
    this.#refundable = new Batcher((keys) => refundablesOf(db, keys));
  }

  /**
   * Takes the amount from what is left of the payment and records the refund.
   * @returns `impossible` if the payment has not succeeded or less is left; `lost` if another request holds the idempotency key
   */
  begin(intent: RefundIntent): Promise<'begun' | 'impossible' | 'lost'> {
    return this.#begin.submit(intent);
  }

  async #beginAll(intents: readonly RefundIntent[]): Promise<('begun' | 'impossible' | 'lost')[]> {
    const input = intents.map(({ refund, seenLeft, isMade, lease, claim, audited }, n) => {
      const more = {
        n,
        seen_left: seenLeft,
        is_made: isMade,
        upstream_key: refund.id,
        lease_owner: lease.owner,
        lease_until: lease.until,
        ...auditInput(audited, refund.payment_id, factsOf(refund)),
        ...claimInput(claim),
      };
      return [refund, more] as const;
    });
    const rows = await this.#db.query<{ n: number; possible: boolean; begun: boolean }>({
      name: 'begin_refunds',
      text: beginSql,
      values: [jsonRows(intentInput, input)],
      scope: intents.map(({ refund }) => refund),
    });
    const found = new Map(rows.map((row) => [row.n, row]));
    return intents.map((_intent, n) => {
      const row = found.get(n);
      if (row?.begun === true) return 'begun';
      return row?.possible === true ? 'lost' : 'impossible';
    });
  }

  /** @returns undefined, with nothing written, if the refund has changed since it was read */
  change(change: RefundChange): Promise<Changed | undefined> {
    return this.#change.submit(change);
  }

  async #changeAll(changes: readonly RefundChange[]): Promise<(Changed | undefined)[]> {
    const input = changes.map(({ refund, next, givesBack, event, mails, answer }, n) => {
      const { inRecord, statusOfEvent } = placeOfAnswer(answer, event);
      const more = {
        n,
        gives_back: givesBack,
        mails,
        next_kind: next?.kind ?? null,
        next_try_at: next?.at ?? null,
        ...answerInput(inRecord),
        ...eventInput(event, statusOfEvent),
      };
      return [refund, more] as const;
    });
    const rows = await this.#db.query<{ n: number; has_deliveries: boolean }>({
      name: 'change_refunds',
      text: changeSql,
      values: [jsonRows(changeInput, input)],
      scope: changes.map(({ refund }) => refund),
    });
    const done = new Map(rows.map((row) => [row.n, { hasDeliveries: row.has_deliveries }]));
    return changes.map((_change, n) => done.get(n));
  }

  find(tenant: Tenant, id: string): Promise<RefundRow | undefined> {
    return this.#find.submit({ tenant: tenant.tenant, id });
  }

  /** The amount of a payment that can be refunded now. It is advisory: only the refund's own commit decides. */
  async refundable(payment: PaymentKey): Promise<Refundable> {
    return requireFound(payment, await this.#refundable.submit(payment));
  }

  async findByUpstreamId(tenant: Tenant, upstreamId: string): Promise<RefundRow | undefined> {
    const [row] = await this.#db.query<RefundRow>({
      name: 'find_refund_by_upstream_id',
      text: `select ${columns} from refunds where tenant = $1 and upstream_id = $2`,
      values: [tenant.tenant, upstreamId],
      scope: tenant,
    });
    return row;
  }

  /** One page of a payment's refunds, newest first, and their total number. */
  async list(
    tenant: Tenant,
    paymentId: string,
    page: number,
    perPage: number,
  ): Promise<{ rows: RefundRow[]; total: number }> {
    return foundRows(
      await this.#db.query<ListedRow<RefundRow>>({
        ...listStatement,
        values: [tenant.tenant, paymentId, (page - 1) * perPage, perPage],
        scope: tenant,
      }),
    );
  }
}
