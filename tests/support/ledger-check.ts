import pg from 'pg';
import { readLedger } from '../../packages/sandbox/src/ledger.ts';

interface PaymentState {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  readonly amount: number;
  readonly open: boolean;
  /** Its hold is over: the ledger keeps showing it as authorized. */
  readonly lapsed: boolean;
}

/** What the processors' ledger must say of a payment in each status; cancelled, voided and absent charges are no money. */
const expected: Readonly<Record<string, string | undefined>> = {
  succeeded: 'captured',
  authorized: 'authorized',
};

const moneyOf = (status: string | undefined) =>
  status === 'cancelled' || status === 'voided' ? undefined : status;

/**
 * Compares every payment of a database with the ledgers that the simulators keep of what they really did. Payments
 * that are being asked about at this moment are left out.
 * @returns how many were compared, and each difference in words
 */
export async function compareWithLedgers(
  databaseUrl: string,
): Promise<{ compared: number; differences: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const payments = await client.query<PaymentState>(
      `select p.id, p.account_id, p.status, p.amount::float8 as amount, exists (
         select from operations o
         where o.account_id = p.account_id and o.payment_id = p.id and o.state <> 'settled') as open,
         coalesce(p.authorization_expires <= now() + a.clock_offset_ms * interval '1 millisecond', false) as lapsed
       from payments p join accounts a using (account_id)`,
    );
    const accounts = await client.query<{ account_id: string }>('select account_id from accounts');
    const database = {
      query: async <Row>(text: string, values: readonly unknown[] = []) => ({
        rows: (await client.query(text, [...values])).rows as Row[],
      }),
    };
    const differences: string[] = [];
    let compared = 0;
    for (const { account_id: account } of accounts.rows) {
      const { charges } = await readLedger(database, account);
      const own = payments.rows.filter((payment) => payment.account_id === account);
      const known = new Set(own.map((payment) => payment.id));
      for (const charge of charges.filter(({ reference }) => !known.has(reference))) {
        differences.push(`${account}: the ledger has ${charge.reference}, which is no payment`);
      }
      for (const payment of own.filter(({ open }) => !open)) {
        compared += 1;
        const made = charges.filter(({ reference }) => reference === payment.id);
        const fits =
          made.length <= 1 &&
          (payment.lapsed || moneyOf(made[0]?.status) === expected[payment.status]) &&
          (made[0] === undefined || made[0].amount === payment.amount);
        if (!fits)
          differences.push(`${payment.id} is ${payment.status}, the ledger says ${JSON.stringify(made)}`);
      }
    }
    return { compared, differences };
  } finally {
    await client.end();
  }
}
