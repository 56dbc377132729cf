import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { type CommandResult, runCommand, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let url: string;
let environment: Readonly<Record<string, string>>;
const shops: Merchant[] = [];
/** The payments of both shops, oldest first: 12 charges, of which the last four were partially refunded. */
const paid: { readonly id: string; readonly refund?: string }[] = [];

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  url = await migratedDatabase(cleanUp);
  const server = await startServer({
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
  environment = server.environment;
  for (const processor of ['processor_a', 'processor_b'] as const) {
    const shop = await Merchant.openAt(server, processor);
    shops.push(shop);
    for (let count = 0; count < 6; count += 1) paid.push({ id: (await shop.pay({ amount: 1000 })).body.id });
    await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    for (let count = 0; count < 2; count += 1) {
      const { id } = (await shop.pay({ amount: 1000 })).body;
      const refund = (await shop.post(`/api/v1/payments/${id}/refunds`, { amount: 400 })).body.id;
      await shop.post(`/api/v1/test_helpers/refunds/${refund}/settle`, { outcome: 'succeeded' });
      paid.push({ id, refund });
    }
  }
});
afterAll(cleanUp.run);

interface Found {
  readonly compared: number;
  readonly open: number;
  readonly differences: readonly {
    readonly kind: string;
    readonly reference: string;
    readonly account: string;
  }[];
}

const run = (...parameters: string[]): Promise<CommandResult> =>
  runCommand(environment, ['reconcile', ...parameters, '--json']);
const read = (result: CommandResult) => JSON.parse(result.out) as Found;

const idOf = (index: number) => paid[index]?.id ?? '';
const refundOf = (index: number) => paid[index]?.refund ?? '';
const change = (sql: string, ...values: unknown[]) => queryDatabase(url, sql, values);

/** Each function corrupts one record or one entry of the ledger, and returns the expected finding. */
const faults: readonly (() => Promise<string>)[] = [
  // Till's record shows less or more than was charged.
  ...[0, 1, 8].map((index) => async () => {
    await change(
      `update payments set status = 'failed', failure_code = 'declined' where id = $1`,
      idOf(index),
    );
    return `charged_not_succeeded ${idOf(index)}`;
  }),
  ...[2, 9].map((index) => async () => {
    await change(`update payments set status = 'voided' where id = $1`, idOf(index));
    return `charged_not_succeeded ${idOf(index)}`;
  }),
  ...[3, 10].map((index) => async () => {
    await change('update payments set amount = amount + 1 where id = $1', idOf(index));
    return `amount_differs ${idOf(index)}`;
  }),
  ...[4, 11].map((index) => async () => {
    await change('delete from sandbox.charges where reference = $1', idOf(index));
    return `succeeded_not_charged ${idOf(index)}`;
  }),
  ...[5, 12].map((index) => async () => {
    await change(
      `insert into sandbox.charges (merchant_account, reference, psp_reference, amount, currency, status, brand, bin,
         last4, expiry_month, expiry_year, received, created_at)
       select merchant_account, reference, psp_reference || 'X', amount, currency, status, brand, bin, last4,
         expiry_month, expiry_year, received, created_at
       from sandbox.charges where reference = $1`,
      idOf(index),
    );
    return `charged_twice ${idOf(index)}`;
  }),
  ...['pay_stray0000000000000000001', 'pay_stray0000000000000000002'].map((reference) => async () => {
    await change(
      `insert into sandbox.charges (merchant_account, reference, psp_reference, amount, currency, status, brand, bin,
         last4, expiry_month, expiry_year, received, created_at)
       select merchant_account, $2, $2, amount, currency, status, brand, bin, last4, expiry_month, expiry_year,
         received, created_at
       from sandbox.charges where reference = $1`,
      idOf(13),
      reference,
    );
    return `charge_without_payment ${reference}`;
  }),
  ...[6, 14].map((index) => async () => {
    await change(
      `update refunds set status = 'failed', failure_code = 'declined' where id = $1`,
      refundOf(index),
    );
    return `refunded_not_recorded ${refundOf(index)}`;
  }),
  ...['re_stray0000000000000000001', 're_stray0000000000000000002'].map((reference) => async () => {
    await change(
      `insert into sandbox.refunds select (jsonb_populate_record(r, jsonb_build_object('reference', $2::text,
         'upstream_id', $2::text, 'amount', 1))).* from sandbox.refunds r where reference = $1`,
      refundOf(14),
      reference,
    );
    return `refund_without_record ${reference}`;
  }),
  async () => {
    await change(`update sandbox.charges set currency = 'USD' where reference = $1`, idOf(13));
    return `amount_differs ${idOf(13)}`;
  },
  async () => {
    await change('delete from sandbox.refunds where reference = $1', refundOf(7));
    return `recorded_not_refunded ${refundOf(7)}`;
  },
  async () => {
    await change('update sandbox.refunds set amount = amount + 1 where reference = $1', refundOf(15));
    return `refund_amount_differs ${refundOf(15)}`;
  },
];

describe('till reconcile', () => {
  it('finds nothing where records and ledgers agree', async () => {
    const result = await run();
    expect(result.exitCode).toBe(0);
    expect(read(result)).toEqual({ compared: 18, open: 0, unsettled: 0, differences: [] });
  });

  it('finds every planted fault, names it, and ends with exit code 1', async () => {
    // Pending notifications of the processors would repair some of the faults.
    await until('everything is sent and applied', async () => {
      const [row] = await queryDatabase<{ open: boolean }>(
        url,
        `select exists (select from sandbox.notifications where not sent)
           or exists (select from processor_notifications where state = 'received') as open`,
      );
      return row?.open === false;
    });
    const planted: string[] = [];
    for (const plant of faults) planted.push(await plant());
    const result = await run();
    expect(result.exitCode).toBe(1);
    const found = read(result).differences.map(({ kind, reference }) => `${kind} ${reference}`);
    expect(found.sort()).toEqual([...planted].sort());
    expect(planted).toHaveLength(20);
  });

  it('checks one account where it is named', async () => {
    const [, other] = shops;
    const result = await run('--account', other?.id ?? '');
    const accounts = new Set(read(result).differences.map(({ account }) => account));
    expect([...accounts]).toEqual([other?.id]);
  });
});
