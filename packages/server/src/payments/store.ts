import { type CustomerRow, customerInput } from '../customers/store.ts';
import { eventInput, type NewEvent } from '../events/events.ts';
import { answerInput, type Claim, claimInput, placeOfAnswer } from '../idempotency/claims.ts';
import type { Lease } from '../operations/operation.ts';
import { alertInput, type NewAlert } from '../payment-alerts/store.ts';
import type { countColumns } from '../payment-links/sql.ts';
import type { NewPaymentMethod } from '../payment-methods/store.ts';
import { Batcher } from '../store/batcher.ts';
import { jsonRows, listOf, type RowOf } from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { parameterRows } from '../store/sql.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import {
  beginOfCustomers,
  beginOfLink,
  beginStatement,
  beginWithCustomers,
  changeInput,
  changeOfLink,
  changeStatements,
  firstInput,
  firstOfLink,
  firstStatements,
  intentInput,
  linkIntentInput,
} from './commits.ts';
import { draftOf, findDraft } from './drafts.ts';
import type { KeptRequest } from './kept-request.ts';
import { type PaymentRow, paymentColumns, type ShownPayment, shownColumns } from './payment.ts';

/** What commit 1 writes before the processor is asked: the claim, the payment's draft, a customer created with it, the intent. */
export interface PaymentIntent {
  readonly payment: PaymentRow;
  readonly request: KeptRequest;
  readonly newCustomer: CustomerRow | null;
  readonly operation: { readonly upstreamKey: string; readonly lease: Lease };
  readonly claim: Claim | null;
  readonly link: LinkAttempt | null;
}

/** A buyer's attempt to pay with a link. */
export interface LinkAttempt {
  /** Id of the link. */
  readonly id: string;
  /** Hash of the form's name. A form begins only one payment. */
  readonly visit: Buffer;
  /** Hash of the browser's cookie; null if the browser keeps none. */
  readonly browser: Buffer | null;
  /** Keyed hash of the buyer's network. The unpaid attempts of one network are limited; null: not limited by network. */
  readonly network: Buffer | null;
}

/** What commit 2 writes with the processor's answer: new state, event, stored answer. */
export interface PaymentSettlement {
  /** The payment after the change, except that `version` and `event_count` are still those that were read. */
  readonly payment: PaymentRow;
  /** Whether it is the payment's first answer, with which the payment is inserted. */
  readonly isFirst: boolean;
  readonly event: NewEvent | null;
  /** A new method that this payment saved, to be inserted. */
  readonly newMethod: NewPaymentMethod | null;
  /** Id of the saved method that must not be charged any more. */
  readonly goneMethod: string | null;
  readonly settledAt: Date;
  /** SHA-256 of the hosted page's token, in hex, if the payment waits for its buyer from now on or was made by a link. */
  readonly checkoutToken: string | null;
  /** Upstream key for cancelling what the processor may still carry out: the operation becomes that cancellation. */
  readonly cancelKey: string | null;
  readonly alert: NewAlert | null;
  readonly answer: { readonly claim: Claim; readonly status: number; readonly body: string } | null;
  /** By how much it changes the counts of its link: attempts that have not ended, and payments; null: it has no link. */
  readonly link: RowOf<typeof countColumns> | null;
}

/** Whether a settlement's event goes to at least one webhook endpoint. */
type Settled = { readonly hasDeliveries: boolean };

type PaymentKey = Pick<PaymentRow, 'tenant' | 'id'>;

const keyOf = ({ tenant, id }: PaymentKey) => `${tenant} ${id}`;

/** Looks up payments by their keys, many in one statement. */
const lookUp = <Row extends PaymentKey>(db: Database, name: string, columns: string) =>
  new Batcher<PaymentKey, Row | undefined>(async (keys) => {
    const rows = await db.query<Row>({
      name,
      generic: true,
      text: `select ${columns} from ${parameterRows('int', 'text')} as s (tenant, id)
             join payments using (tenant, id)`,
      values: [keys.map((key) => key.tenant), keys.map((key) => key.id)],
      scope: keys,
    });
    const found = new Map(rows.map((row) => [keyOf(row), row]));
    return keys.map((key) => found.get(keyOf(key)));
  });

/** The statement for commit 1 of these payments, with no more tables than they need. */
function beginFor(intents: readonly PaymentIntent[]) {
  if (intents.some(({ newCustomer }) => newCustomer !== null)) return beginWithCustomers;
  return intents.some(({ payment }) => payment.customer_id !== null) ? beginOfCustomers : beginStatement;
}

/** Whether a settlement writes only the payment, the end of its operation, its event and its answer. */
const isPlain = ({ newMethod, goneMethod, checkoutToken, cancelKey, alert }: PaymentSettlement) =>
  newMethod === null && goneMethod === null && checkoutToken === null && cancelKey === null && alert === null;

/** SQL for the two commits of payments and for reading one payment. */
export class PaymentStore {
  readonly #db: Database;
  readonly #begin: Batcher<PaymentIntent, boolean>;
  readonly #insert: Batcher<PaymentSettlement, Settled | undefined>;
  readonly #update: Batcher<PaymentSettlement, Settled | undefined>;
  readonly #beginOfLink: Batcher<PaymentIntent, boolean>;
  readonly #insertOfLink: Batcher<PaymentSettlement, Settled | undefined>;
  readonly #updateOfLink: Batcher<PaymentSettlement, Settled | undefined>;
  readonly #find: Batcher<PaymentKey, PaymentRow | undefined>;
  readonly #findShown: Batcher<PaymentKey, (ShownPayment & PaymentKey) | undefined>;

  /** @param fanOutOf how many deliveries an event of a tenant writes; absent: too few to count */
  constructor(db: Database, fanOutOf: (tenant: TenantId) => number = () => 0) {
    this.#db = db;
    this.#begin = new Batcher<PaymentIntent, boolean>((rows) => this.#beginAll(rows), {
      keyOf: ({ payment, claim }) =>
        claim === null ? keyOf(payment) : `${payment.tenant} ${claim.scope} ${claim.key}`,
    });
    const settling = {
      keyOf: ({ payment }: PaymentSettlement) => keyOf(payment),
      fanOutOf: ({ payment, event }: PaymentSettlement) => (event === null ? 0 : fanOutOf(payment.tenant)),
    };
    this.#insert = new Batcher((rows) => this.#settleAll(firstInput, firstStatements, rows), settling);
    this.#update = new Batcher((rows) => this.#settleAll(changeInput, changeStatements, rows), settling);
    // Each of these locks the row of its link. They share no batch, so that no payment waits for those of another, busy link.
    this.#beginOfLink = new Batcher((rows) => this.#beginAll(rows), { max: 1 });
    const alone = { ...settling, max: 1 };
    this.#insertOfLink = new Batcher((rows) => this.#settleAll(firstOfLink, firstStatements, rows), alone);
    this.#updateOfLink = new Batcher((rows) => this.#settleAll(changeOfLink, changeStatements, rows), alone);
    this.#find = lookUp(db, 'find_payments', listOf(paymentColumns));
    this.#findShown = lookUp(db, 'find_shown_payments', `tenant, ${listOf(shownColumns)}`);
  }

  /**
   * Commit 1. False if another request has the idempotency key, the saved method was removed, the customer was discarded, or the
   * link takes no further payment: then nothing was written.
   * @throws a database error naming `oneAttemptPerForm`
   */
  begin(intent: PaymentIntent): Promise<boolean> {
    return (intent.link === null ? this.#begin : this.#beginOfLink).submit(intent);
  }

  async #beginAll(intents: readonly PaymentIntent[]): Promise<boolean[]> {
    const rows = intents.map(({ payment, request, newCustomer, operation, claim, link }, n) => {
      const more = {
        n,
        draft: draftOf(payment),
        request,
        upstream_key: operation.upstreamKey,
        lease_owner: operation.lease.owner,
        lease_until: operation.lease.until,
        new_customer: newCustomer && customerInput(newCustomer),
        ...claimInput(claim),
        payment_link_id: payment.payment_link_id,
        visit: link?.visit.toString('hex') ?? '',
        browser: link?.browser?.toString('hex') ?? null,
        network: link?.network?.toString('hex') ?? null,
      };
      return [payment, more] as const;
    });
    const ofLink = intents.some(({ link }) => link !== null);
    const begunRows = await this.#db.query<{ id: string }>({
      values: [jsonRows(ofLink ? linkIntentInput : intentInput, rows)],
      scope: intents.map(({ payment }) => payment),
      ...(ofLink ? beginOfLink : beginFor(intents)),
    });
    const begun = new Set(begunRows.map((row) => row.id));
    return intents.map(({ payment }) => begun.has(payment.id));
  }

  /** Commit 2. Undefined if the payment changed since it was read: then nothing was written. */
  settle(settlement: PaymentSettlement): Promise<Settled | undefined> {
    const { isFirst, link } = settlement;
    if (link === null) return (isFirst ? this.#insert : this.#update).submit(settlement);
    return (isFirst ? this.#insertOfLink : this.#updateOfLink).submit(settlement);
  }

  async #settleAll(
    columnsOfInput: typeof firstInput | typeof changeInput | typeof firstOfLink | typeof changeOfLink,
    { plain, full, ofLink }: typeof firstStatements,
    settlements: readonly PaymentSettlement[],
  ): Promise<(Settled | undefined)[]> {
    const rows = settlements.map((settlement, n) => {
      const { payment, settledAt } = settlement;
      const { inRecord, statusOfEvent } = placeOfAnswer(settlement.answer, settlement.event);
      const more = {
        n,
        new_method: settlement.newMethod,
        gone_method: settlement.goneMethod,
        settled_at: settledAt,
        checkout_token: settlement.checkoutToken,
        cancel_key: settlement.cancelKey,
        link_open: settlement.link?.link_open ?? 0,
        link_paid: settlement.link?.link_paid ?? 0,
        ...answerInput(inRecord),
        ...alertInput(settlement.alert),
        ...eventInput(settlement.event, statusOfEvent),
      };
      return [payment, more] as const;
    });
    const settled = await this.#db.query<{ n: number; has_deliveries: boolean }>({
      values: [jsonRows(columnsOfInput, rows)],
      scope: settlements.map(({ payment }) => payment),
      ...(settlements.some(({ link }) => link !== null) ? ofLink : settlements.every(isPlain) ? plain : full),
    });
    const done = new Map(settled.map((row) => [row.n, { hasDeliveries: row.has_deliveries }]));
    return settlements.map((_settlement, n) => done.get(n));
  }

  /** Finds a payment that has an answer. */
  findAnswered(tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
    return this.#find.submit({ tenant: tenant.tenant, id });
  }

  /** Finds a payment that has an answer, with the columns that the API shows. */
  findShown(tenant: Tenant, id: string): Promise<ShownPayment | undefined> {
    return this.#findShown.submit({ tenant: tenant.tenant, id });
  }

  /** Finds a payment, even one that has no answer yet or was discarded: its status is `processing`. */
  async find(tenant: Tenant, id: string): Promise<PaymentRow | undefined> {
    return (
      (await this.findAnswered(tenant, id)) ??
      (await findDraft(this.#db, tenant, id)) ??
      // It may have got its answer between the two queries.
      (await this.findAnswered(tenant, id))
    );
  }
}
