import { randomBytes } from 'node:crypto';
import { TestData } from '../dashboard/figures/test-data.ts';
import type { Tenant } from '../store/tenant.ts';
import type { TestClock, TestDatabase } from '../vault/test-database.ts';
import { importReport, type ReportToImport, tryImportReport } from './import-report.ts';
import { listPayoutRows, nextLines } from './reads.ts';

const titles =
  'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number';

/** A batch of processor_a with one payment of €49.90 for each PSP reference. */
export const reportOf = (batch: number, ...psps: readonly string[]): string =>
  [
    titles,
    ...psps.map(
      (psp) =>
        `Co,Shop,${psp},,visa,2026-11-20 12:00:00,CET,Settled,MOD-${psp},EUR,,49.90,1,EUR,,49.80,,0.10,,,visa,,${batch}`,
    ),
    `Co,Shop,,,,2026-11-21 02:00:00,CET,MerchantPayout,TX${batch},,,,,EUR,${(psps.length * 49.8).toFixed(2)},,,,,,,,${batch}`,
  ].join('\n');

async function* bytesOf(text: string) {
  yield new TextEncoder().encode(text);
}

/** A batch of processor_a with lines about one refund of €10.00 (`refund` is Till's id): refunded, or the refund reversed. */
export const refundReportOf = (
  batch: number,
  refund: string,
  ...types: readonly ('Refunded' | 'RefundedReversed')[]
): string => {
  const columns = (euros: number) => (euros < 0 ? `${-euros}.00,` : `,${euros}.00`);
  const amounts = types.map((type) => (type === 'Refunded' ? -10 : 10));
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  return [
    titles,
    ...types.map((type, index) => {
      const amount = columns(amounts[index] ?? 0);
      return `Co,Shop,PSP1,,visa,2026-11-20 12:00:00,CET,${type},REF-1,EUR,${amount},1,EUR,${amount},,,,,visa,${refund},${batch}`;
    }),
    `Co,Shop,,,,2026-11-21 02:00:00,CET,MerchantPayout,TX${batch},,,,,EUR,${columns(-total)},,,,,,,${batch}`,
  ].join('\n');
};

export interface PayPalLine {
  readonly id: string;
  readonly code: string;
  readonly side: 'CR' | 'DR';
  readonly amount: number;
  /** Day and time in November 2026. */
  readonly at: string;
}

/** A report of processor_b with one section for some days of November 2026, such as `02`, with lines in EUR. */
export const sectionOf = (from: string, until: string, ...lines: readonly PayPalLine[]): string =>
  [
    '"RH",2026/12/01 02:44:19 -0700,"A","SHOP",009,',
    '"FH",01',
    `"SH",2026/11/${from} 00:00:00 -0700,2026/11/${until} 23:59:59 -0700,"SHOP",""`,
    '"CH","Transaction ID","PayPal Reference ID","Transaction Event Code","Transaction Completion Date","Transaction Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency"',
    ...lines.map(
      ({ id, code, side, amount, at }) =>
        `"SB","${id}","CAP1","${code}",2026/11/${at} -0700,"${side}",${amount},"EUR","",,""`,
    ),
    `"SC",${lines.length}`,
    '"FF",1',
  ].join('\r\n');

/** A shop that imports reports. */
export async function openShop(
  database: TestDatabase,
  clock: TestClock,
  connected: string | null = 'test:Shop',
  processor: ReportToImport['processor'] = 'processor_a',
) {
  const { db } = database;
  const tenant: Tenant = await database.openTenant();
  const deps = { db, clock, randomBytes };
  const toImport = (report: string | (() => AsyncIterable<Uint8Array>)): ReportToImport => ({
    tenant,
    processor,
    connected,
    now: clock.now(),
    name: 'report.csv',
    by: null,
    note: async () => {},
    content: typeof report === 'string' ? () => bytesOf(report) : report,
  });
  const imports = (...report: Parameters<typeof toImport>) => importReport(deps, toImport(...report));
  const triesToImport = (report: string) => tryImportReport(deps, toImport(report));
  /** Inserts a payment with this PSP reference, as if it became known after a restore. */
  const pay = async (psp: string, amount = 4990) => {
    const id = await new TestData(db, tenant).pay({ at: clock.now(), status: 'succeeded', amount });
    await db.query({
      text: `update payments set upstream = json_build_object('psp', $3::text) where tenant = $1 and id = $2`,
      values: [tenant.tenant, id, psp],
      scope: tenant,
    });
    return id;
  };
  const refund = (payment: string) =>
    new TestData(db, tenant).refund(payment, { at: clock.now(), amount: 1000 });
  /** Why lines do not match (null: they do), in the order of payouts and lines. */
  const reasons = async () => {
    const { rows } = await listPayoutRows(db, tenant, { offset: 0, perPage: 10 });
    const lines = await Promise.all(
      rows.toReversed().map(({ id }) => nextLines(db, tenant, id, { after: 0, max: 10 })),
    );
    return lines.flat().map(({ unmatched }) => unmatched);
  };
  /** Every payout, oldest first: how many lines do not match, and the payment of the first line. */
  const payouts = async () => {
    const { rows } = await listPayoutRows(db, tenant, { offset: 0, perPage: 10 });
    return Promise.all(
      rows.toReversed().map(async ({ id, unmatched_count: count, match_tries: tries, digest }) => {
        const [line] = await nextLines(db, tenant, id, { after: 0, max: 1 });
        return { count, tries, digest, payment: line?.payment_id, unmatched: line?.unmatched };
      }),
    );
  };
  return { tenant, imports, triesToImport, pay, refund, payouts, reasons };
}
