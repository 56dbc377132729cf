import { alone } from '../../lib/batch.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson, isObject } from '../../lib/json.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import type { KeptChallenge } from '../authorisation/challenges.ts';
import type { StoredCard } from '../authorisation/instruments.ts';
import { requestStatements } from './store-sql.ts';

/** The money effect of a request and what is kept of its card. */
export interface ChargeColumns {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly charge_status: 'authorized' | 'captured';
  readonly brand: string;
  readonly bin: string;
  readonly last4: string;
  readonly expiry_month: number;
  readonly expiry_year: number;
  readonly received: unknown;
}

/** What a payment needs to be completed once its cardholder has been asked. */
export interface ChallengeColumns {
  readonly reference: string;
  readonly challenge_id: string;
  readonly challenge: KeptChallenge;
}

/** A card that a payment stores. */
export interface InstrumentColumns {
  readonly token: string;
  readonly shopper: string;
  readonly instrument: StoredCard;
}

/** Money that a refund gives back. Amounts in the merchant's minor units. */
export interface RefundColumns {
  readonly refund_reference: string;
  readonly payment_reference: string;
  /** The same for two refunds at once of one payment, of which therefore only one is executed. */
  readonly upstream_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly received: unknown;
}

/** One request on its way into the tables. Its pspReference is also the token by which it owns its key. */
export interface RequestRow
  extends Partial<ChargeColumns>,
    Partial<ChallengeColumns>,
    Partial<InstrumentColumns>,
    Partial<RefundColumns> {
  readonly merchant_account: string;
  /** Null for a request without a key: it is executed every time. */
  readonly idempotency_key: string | null;
  readonly psp_reference: string;
  readonly at: string;
  /** Null claims the key for work that takes a while; the same row with an answer then settles it. */
  readonly status: number | null;
  readonly body: string | null;
  readonly notifications?: readonly PlannedNotification[];
}

/** `fresh`: this request was executed. Otherwise its key belongs to an earlier one, answered or still under way. */
export type Settled =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'stored'; readonly status: number; readonly body: string }
  | { readonly kind: 'in_flight' };

/** A payment by our reference or by the processor's own. */
export type NamedPayment = { readonly reference: string } | { readonly pspReference: string };

export interface RequestStore {
  /** Claims the key, writes the row's effects and keeps the answer, all or nothing, unless the key is taken. */
  settle(row: RequestRow): Promise<Settled>;
  /** As `settle`, and completes the row's challenge; without effect where nobody has answered it or it is over. */
  complete(row: RequestRow): Promise<Settled | { readonly kind: 'over' }>;
  /** Ends what waits for the buyer. A completion under way is waited for, so that its charge is seen afterwards. */
  stopChallenges(merchantAccount: string, payment: NamedPayment): Promise<void>;
  /** As `settle`, and cancels the payment's charges in one of these states. */
  cancel(
    row: RequestRow,
    payment: NamedPayment,
    states: readonly ChargeColumns['charge_status'][],
  ): Promise<Settled>;
  /**
   * As `settle`, and captures or changes the hold of the payment; `stale` and without effect where it is no hold any more,
   * or too small for the capture.
   * @param row its `amount` is what is captured or held from now on, its `received` the same as the upstream counts it
   */
  change(
    kind: 'capture' | 'adjust',
    row: RequestRow,
    pspReference: string,
  ): Promise<Settled | { readonly kind: 'stale' }>;
  /** As `settle`; `stale` and without effect where the payment has been refunded since it was read. */
  refund(row: RequestRow): Promise<Settled | { readonly kind: 'stale' }>;
}

/** Our reference and the processor's own, as parameters of a statement; null for the one that is not given. */
export function namesOf(payment: NamedPayment): readonly [string | null, string | null] {
  return 'reference' in payment ? [payment.reference, null] : [null, payment.pspReference];
}

const storedSql = `
select status, body from sandbox.requests where merchant_account = $1 and idempotency_key = $2`;

async function findStored(database: SandboxDatabase, row: RequestRow): Promise<Settled | undefined> {
  const { rows } = await database.query(storedSql, [row.merchant_account, row.idempotency_key]);
  if (rows.length === 0) return undefined;
  const { status, body } = columnsOf(rows[0]);
  return status === null
    ? { kind: 'in_flight' }
    : { kind: 'stored', status: Number(status), body: String(body) };
}

async function readStored(database: SandboxDatabase, row: RequestRow): Promise<Settled> {
  const stored = await findStored(database, row);
  if (stored === undefined) throw new Error('the sandbox lost a request that it had just met');
  return stored;
}

function keyOf(row: RequestRow): string {
  return JSON.stringify([row.merchant_account, row.idempotency_key ?? row.psp_reference]);
}

/** Refunds of one payment never meet in a statement: the second one has less to take from. */
const paymentOf = (row: RequestRow): string =>
  row.payment_reference === undefined
    ? keyOf(row)
    : JSON.stringify([row.merchant_account, row.payment_reference]);

/** The tables behind one simulator. Concurrent requests share a statement where `batch` is given. */
export function createRequestStore({
  database,
  batch = alone,
  sharesLog,
}: Pick<SandboxDependencies, 'database' | 'batch' | 'sharesLog'>): RequestStore {
  const statements = requestStatements(sharesLog !== true);
  // Apart from the merged runs: payments that meet no challenge and store no card need not pay for the ones that do.
  const ownStatement = (row: RequestRow): string | undefined => {
    if (row.challenge_id !== undefined) return statements.challenge;
    return row.token === undefined ? undefined : statements.store;
  };

  const execute =
    (sql: string) =>
    async (rows: readonly RequestRow[]): Promise<readonly boolean[]> => {
      const result = await database.query(sql, [databaseJson(rows)]);
      const owned = new Set(result.rows.map((row) => columnsOf(row).psp_reference));
      return rows.map((row) => row.idempotency_key === null || owned.has(row.psp_reference));
    };
  const executeAlone = async (
    sql: string,
    row: RequestRow,
    values: readonly unknown[] = [],
  ): Promise<boolean> => {
    const { rows } = await database.query(sql, [databaseJson([row]), ...values]);
    return row.idempotency_key === null || rows.length === 1;
  };
  const executeOne = batch(execute(statements.settle), keyOf);
  const refundOne = batch(execute(statements.refund), paymentOf);

  return {
    async settle(row) {
      const sql = ownStatement(row);
      const done = sql === undefined ? executeOne(row) : executeAlone(sql, row);
      return (await done) ? { kind: 'fresh' } : readStored(database, row);
    },
    async complete(row) {
      const { rows } = await database.query(statements.complete, [databaseJson([row])]);
      if (rows.length === 1) return { kind: 'fresh' };
      return row.idempotency_key === null
        ? { kind: 'over' }
        : ((await findStored(database, row)) ?? { kind: 'over' });
    },
    async stopChallenges(merchantAccount, payment) {
      await database.query(statements.stopChallenges, [merchantAccount, ...namesOf(payment)]);
    },
    async cancel(row, payment, states) {
      const done = await executeAlone(statements.cancel, row, [...namesOf(payment), states]);
      return done ? { kind: 'fresh' } : readStored(database, row);
    },
    async change(kind, row, pspReference) {
      const { rows } = await database.query(statements[kind], [databaseJson([row]), pspReference]);
      if (rows.length === 1) return { kind: 'fresh' };
      return row.idempotency_key === null
        ? { kind: 'stale' }
        : ((await findStored(database, row)) ?? { kind: 'stale' });
    },
    async refund(row) {
      try {
        return (await refundOne(row)) ? { kind: 'fresh' } : await readStored(database, row);
      } catch (error) {
        if (isObject(error) && error.constraint === 'refunds_pkey') return { kind: 'stale' };
        throw error;
      }
    },
  };
}
