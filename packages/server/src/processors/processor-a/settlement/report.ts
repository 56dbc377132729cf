import type { PayoutLineType } from '@till/contract';
import { formatAmount, parseAmount } from '../../../lib/money.ts';
import type { CsvRecord } from '../../../lib/text/csv-records.ts';
import {
  NamedFields,
  ReportError,
  type ReportFormat,
  type ReportLine,
  timeOfReport,
  titlesOf,
} from '../../port/settlement.ts';

const name = 'Settlement details report';

/** Columns that the importer reads (Adyen docs, "Settlement details report", standard columns). The report may have others. */
const titles = {
  account: 'Merchant Account',
  psp: 'Psp Reference',
  reference: 'Merchant Reference',
  created: 'Creation Date',
  zone: 'TimeZone',
  type: 'Type',
  modification: 'Modification Reference',
  grossCurrency: 'Gross Currency',
  grossDebit: 'Gross Debit (GC)',
  grossCredit: 'Gross Credit (GC)',
  netCurrency: 'Net Currency',
  netDebit: 'Net Debit (NC)',
  netCredit: 'Net Credit (NC)',
  modificationReference: 'Modification Merchant Reference',
  batch: 'Batch Number',
} as const;
/** The fees of Adyen, the schemes and the issuer for one payment. */
const feeTitles = ['Commission (NC)', 'Markup (NC)', 'Scheme Fees (NC)', 'Interchange (NC)'];
const required = Object.values(titles).filter((title) => title !== titles.modificationReference);

/**
 * Line types of the journal types (Adyen docs, "Settlement details report"). Any other journal type is a booking about the
 * account itself.
 */
const types: Readonly<Record<string, PayoutLineType | 'paid_out'>> = {
  Settled: 'payment',
  Refunded: 'refund',
  RefundedReversed: 'refund',
  Chargeback: 'chargeback',
  SecondChargeback: 'chargeback',
  ChargebackReversed: 'chargeback_reversed',
  Fee: 'fee',
  PaymentCost: 'fee',
  InvoiceDeduction: 'fee',
  MerchantPayout: 'paid_out',
};

/**
 * Offsets of the report's time zone names, which differ in summer and winter. Any other zone counts as UTC, which is wrong by
 * a few hours at most.
 */
const offsets: Readonly<Record<string, string>> = {
  UTC: 'Z',
  GMT: 'Z',
  BST: '+01:00',
  CET: '+01:00',
  CEST: '+02:00',
  EET: '+02:00',
  EEST: '+03:00',
  PST: '-08:00',
  PDT: '-07:00',
  EST: '-05:00',
  EDT: '-04:00',
  SGT: '+08:00',
  AEST: '+10:00',
  AEDT: '+11:00',
};

function timeIn(row: NamedFields): Pick<ReportLine, 'at' | 'day'> {
  const text = row.required(titles.created);
  const zone = offsets[row.text(titles.zone)] ?? 'Z';
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
    ? timeOfReport(text.replace(' ', 'T'), zone)
    : undefined;
  if (time === undefined) {
    throw row.fault(
      titles.created,
      `expected a time like 2026-11-20 12:00:00, found ${JSON.stringify(text)}`,
    );
  }
  return time;
}

/** Reads an amount in minor units, which must not be negative unless `signed`; 0 if the field is empty. */
function amountIn(row: NamedFields, title: string, currency: string, signed = false): number {
  const text = row.text(title);
  if (text === '') return 0;
  // Adyen writes two decimals even for currencies that have none.
  const amount = parseAmount(text.includes('.') ? text.replace(/\.?0+$/, '') : text, currency);
  if (amount === undefined || (amount < 0 && !signed)) {
    const example = formatAmount(1250, currency);
    throw row.fault(
      title,
      `expected an amount of ${currency} like ${example}, found ${JSON.stringify(text)}`,
    );
  }
  return amount;
}

function currencyIn(row: NamedFields, title: string): string {
  const currency = row.required(title);
  if (parseAmount('0', currency) === undefined) {
    throw row.fault(title, `expected a currency like EUR, found ${JSON.stringify(currency)}`);
  }
  return currency;
}

function originalIn(row: NamedFields): ReportLine['original'] {
  if (row.text(titles.grossCurrency) === '') return null;
  const currency = currencyIn(row, titles.grossCurrency);
  const debit = amountIn(row, titles.grossDebit, currency);
  const credit = amountIn(row, titles.grossCredit, currency);
  return { amount: Math.abs(credit - debit), currency };
}

const orNull = (text: string) => (text === '' ? null : text);

function lineOf(row: NamedFields): ReportLine & { readonly net: number } {
  const currency = currencyIn(row, titles.netCurrency);
  const net = amountIn(row, titles.netCredit, currency) - amountIn(row, titles.netDebit, currency);
  const type = types[row.required(titles.type)] ?? 'adjustment';
  const kept = feeTitles.reduce((sum, title) => sum + amountIn(row, title, currency, true), 0);
  // A fee line consists of the fee alone. On any other line the gross amount is net plus fees, in the payout's currency.
  const fee = type === 'fee' ? -net : kept;
  return {
    line: row.line,
    merchantAccount: row.required(titles.account),
    reference: row.required(titles.batch),
    currency,
    type,
    ...timeIn(row),
    gross: net + fee,
    fee,
    net,
    // A line belongs to one batch, and each report of the batch has all of its lines.
    identity: null,
    upstreamReference: row.text(titles.modification) || row.text(titles.psp),
    upstreamPayment: orNull(row.text(titles.psp)),
    payment: orNull(row.text(titles.reference)),
    refund: orNull(row.text(titles.modificationReference)),
    original: originalIn(row),
  };
}

/**
 * A complete batch ends with the payout or the amount carried over, so its lines add up to zero.
 * @throws ReportError if they do not
 */
function checkWhole(
  batches: ReadonlyMap<string, { readonly sum: number; readonly line: number; readonly currency: string }>,
): void {
  for (const [batch, { sum, line, currency }] of batches) {
    if (sum === 0) continue;
    const left = `${formatAmount(sum, currency)} ${currency}`;
    throw new ReportError(
      line,
      null,
      `the lines of batch ${batch} up to here add up to ${left} and not to nothing: the report is not whole`,
    );
  }
}

/** Adyen's settlement details report, of one batch or several. */
export const settlementReport: ReportFormat = {
  name,
  namesMerchantAccount: true,
  async *read(records: AsyncIterable<CsvRecord>) {
    let columns: ReadonlyMap<string, number> | undefined;
    const batches = new Map<string, { sum: number; line: number; currency: string }>();
    for await (const record of records) {
      if (columns === undefined) {
        columns = titlesOf(record, required, name);
        continue;
      }
      const { net, ...read } = lineOf(new NamedFields(columns, record));
      const key = `${read.reference} (${read.currency})`;
      const sum = (batches.get(key)?.sum ?? 0) + net;
      batches.set(key, { sum, line: read.line, currency: read.currency });
      yield read;
    }
    if (columns === undefined) throw new ReportError(1, null, `the file is empty: this is no ${name}`);
    checkWhole(batches);
  },
};
