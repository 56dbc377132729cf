import { unbatched } from '../../lib/batch.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson, isObject } from '../../lib/json.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import type { KeptChallenge } from '../authorisation/challenges.ts';
import type { StoredCard } from '../authorisation/instruments.ts';
import { requestStatements } from './store-sql.ts';

/** The charge of a request and the stored part of its card. */
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

/** The data needed to complete a payment after its challenge. */
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

/** A refund. Amounts are in the merchant's minor units. */
export interface RefundColumns {
  readonly refund_reference: string;
  readonly payment_reference: string;
  /** Two concurrent refunds of one payment have the same id, so that only one of them is executed. */
  readonly upstream_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly received: unknown;
}

/** One request to be written to the tables. Its pspReference also proves that it owns its key. */
export interface RequestRow
  extends Partial<ChargeColumns>,
    Partial<ChallengeColumns>,
    Partial<InstrumentColumns>,
    Partial<RefundColumns> {
  readonly merchant_account: string;
  /** Null for a request without a key, which is executed every time. */
  readonly idempotency_key: string | null;
  readonly psp_reference: string;
  readonly at: string;
  /** Null claims the key for a slow operation. The same row with a response then settles it. */
  readonly status: number | null;
  readonly body: string | null;
  readonly notifications?: readonly PlannedNotification[];
}

/**
 * `fresh`: this request was executed. Otherwise its key belongs to an earlier request, which is answered or
 * still in flight.
 */
export type Settled =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'stored'; readonly status: number; readonly body: string }
  | { readonly kind: 'in_flight' };

/** A payment identified by the merchant's reference or by the processor's own. */
export type NamedPayment = { readonly reference: string } | { readonly pspReference: string };

export interface RequestStore {
  /** Claims the key and writes the row's effects and the response atomically, unless the key is taken. */
  settle(row: RequestRow): Promise<Settled>;
  /**
   * Like `settle`, and also completes the row's challenge. Returns `over` without any effect if the challenge
   * is not answered or already over.
   */
  complete(row: RequestRow): Promise<Settled | { readonly kind: 'over' }>;
  /**
   * Cancels the payment's open challenges. Waits for a completion in flight, so that its charge is visible
   * afterwards.
   */
  stopChallenges(merchantAccount: string, payment: NamedPayment): Promise<void>;
  /** Like `settle`, and also cancels the payment's charges that are in one of the given states. */
  cancel(
    row: RequestRow,
    payment: NamedPayment,
    states: readonly ChargeColumns['charge_status'][],
  ): Promise<Settled>;
  /**
   * Like `settle`, and also captures or changes the hold of the payment. Returns `stale` without any effect
   * if the payment is no longer held, or if the hold is too small for the capture.
   * @param row its `amount` is the amount to capture or hold, its `received` the same amount in the
   *   upstream's format
   */
  change(
    kind: 'capture' | 'adjust',
    row: RequestRow,
    pspReference: string,
  ): Promise<Settled | { readonly kind: 'stale' }>;
  /** Like `settle`. Returns `stale` without any effect if the payment was refunded since it was read. */
  refund(row: RequestRow): Promise<Settled | { readonly kind: 'stale' }>;
}

/**
 * Returns the merchant's reference and the processor's own as parameters of a statement. The one that is not
 * given is null.
 */
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

/**
 * The batching key of a refund. A statement never has two refunds of one payment, since the second one has
 * less to take from.
 */
const paymentOf = (row: RequestRow): string =>
  row.payment_reference === undefined
    ? keyOf(row)
    : JSON.stringify([row.merchant_account, row.payment_reference]);

/**
 * Creates the access to the simulator's tables. Concurrent requests share a statement if `batch` is given.
 */
export function createRequestStore({
  database,
  batch = unbatched,
  sharesLog,
}: Pick<SandboxDependencies, 'database' | 'batch' | 'sharesLog'>): RequestStore {
  const statements = requestStatements(sharesLog !== true);
  // Payments with a challenge or a card to store have their own statements, so that they do not slow down the
  // batches of plain payments.
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
