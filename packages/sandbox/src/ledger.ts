import type { SandboxDatabase } from './lib/dependencies.ts';
import { columnsOf, type JsonObject, objectIn } from './lib/json.ts';

export interface LedgerCharge {
  readonly reference: string;
  /** In the merchant's minor units (ISO 4217), even if the upstream uses other units. */
  readonly amount: number;
  readonly currency: string;
  /**
   * `cancelled` is the result of a cancellation at processor_a, `voided` that of a released hold at
   * processor_b.
   */
  readonly status: 'authorized' | 'captured' | 'voided' | 'cancelled';
}

export interface LedgerRefund {
  readonly reference: string;
  readonly payment_reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
}

export interface Ledger {
  readonly charges: LedgerCharge[];
  readonly refunds: LedgerRefund[];
}

/**
 * Returns everything that really moved money on one account, oldest first: what the simulator did, even if
 * its response says otherwise.
 */
export async function readLedger(database: SandboxDatabase, merchantAccount: string): Promise<Ledger> {
  const { rows } = await database.query(
    `select reference, amount, currency, status
     from sandbox.charges
     where merchant_account = $1
     order by created_at, reference, psp_reference`,
    [merchantAccount],
  );
  const charges = rows.map(columnsOf).map(({ reference, amount, currency, status }) => ({
    reference: String(reference),
    amount: Number(amount),
    currency: String(currency),
    status: status as LedgerCharge['status'],
  }));
  const given = await database.query(
    `select reference, payment_reference, amount, currency, status
     from sandbox.refunds
     where merchant_account = $1
     order by created_at, reference, upstream_id`,
    [merchantAccount],
  );
  const refunds = given.rows.map(columnsOf).map((row) => ({
    reference: String(row.reference),
    payment_reference: String(row.payment_reference),
    amount: Number(row.amount),
    currency: String(row.currency),
    status: String(row.status),
  }));
  return { charges, refunds };
}

/**
 * Returns the requests that caused the charges of one reference, oldest first, without card number and
 * security code.
 */
export async function readReceived(
  database: SandboxDatabase,
  merchantAccount: string,
  reference: string,
): Promise<JsonObject[]> {
  const { rows } = await database.query(
    `select received
     from sandbox.charges
     where merchant_account = $1 and reference = $2
     order by created_at, psp_reference`,
    [merchantAccount, reference],
  );
  return rows.map((row) => objectIn(row, 'received'));
}
