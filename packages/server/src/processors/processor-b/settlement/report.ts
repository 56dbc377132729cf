import type { PayoutLineType } from '@till/contract';
import { currencyExponent } from '@till/contract/currencies';
import type { CsvRecord } from '../../../lib/text/csv-records.ts';
import {
  maxNameLength,
  NamedFields,
  ReportError,
  type ReportFormat,
  type ReportLine,
  timeOfReport,
  titlesOf,
} from '../../port/settlement.ts';
import { toMoney } from '../wire/money.ts';

const name = 'Settlement report';

/** Columns that the importer reads (PayPal docs, "Settlement Report Specification", section body data). */
const titles = {
  id: 'Transaction ID',
  reference: 'PayPal Reference ID',
  code: 'Transaction Event Code',
  completed: 'Transaction Completion Date',
  side: 'Transaction Debit or Credit',
  gross: 'Gross Transaction Amount',
  currency: 'Gross Transaction Currency',
  feeSide: 'Fee Debit or Credit',
  fee: 'Fee Amount',
  feeCurrency: 'Fee Currency',
  custom: 'Custom Field',
} as const;

/**
 * Line type of a transaction event code (PayPal docs, "Transaction event codes"). Any other code is a booking about the
 * account itself.
 */
function typeOf(code: string): PayoutLineType | 'paid_out' {
  if (/^T00\d\d$/.test(code)) return 'payment';
  // T1108 reverses a fee, T1109 gives one back.
  if (/^T01\d\d$/.test(code) || code === 'T1108' || code === 'T1109') return 'fee';
  if (/^T04\d\d$/.test(code)) return 'paid_out';
  if (code === 'T1107') return 'refund';
  // T1106 is a reversal by PayPal: it ends a chargeback and is not a refund by the merchant.
  if (code === 'T1201' || code === 'T1106') return 'chargeback';
  if (code === 'T1202') return 'chargeback_reversed';
  return 'adjustment';
}

/** Format: `2026/11/20 12:00:00 -0700`. */
const timePattern = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;

function timeOf(text: string): Pick<ReportLine, 'at' | 'day'> | undefined {
  const [, year, month, date, time, hours, minutes] = timePattern.exec(text) ?? [];
  return timeOfReport(`${year}-${month}-${date}T${time}`, `${hours}:${minutes}`);
}

/** How many minor units (ISO 4217) make up the smallest unit that PayPal writes in this currency. */
function unitOf(currency: string): number | undefined {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return undefined;
  return [1, 10, 100, 1000].find((minor) => toMoney(minor, currency) !== undefined);
}

/** Reads an unsigned amount and its debit or credit column, as signed minor units; 0 if the field is empty. */
function amountIn(row: NamedFields, [title, side]: readonly [string, string], unit: number): number {
  const text = row.text(title);
  if (text === '') return 0;
  const amount = Number(text) * unit;
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(amount)) {
    throw row.fault(title, `expected a whole number without a sign, found ${JSON.stringify(text)}`);
  }
  const letters = row.text(side);
  if (letters !== 'CR' && letters !== 'DR') {
    throw row.fault(side, `expected CR or DR, found ${JSON.stringify(letters)}`);
  }
  return letters === 'DR' ? 0 - amount : amount;
}

/** The account and the period that a section of the report covers. */
interface Section {
  readonly account: string;
  readonly period: string;
}

const idOf = (prefix: string, text: string): string | null => (text.startsWith(prefix) ? text : null);

function lineOf(row: NamedFields, { account, period }: Section): ReportLine {
  const code = row.required(titles.code);
  const currency = row.required(titles.currency);
  const unit = unitOf(currency);
  if (unit === undefined) {
    throw row.fault(titles.currency, `expected a currency like EUR, found ${JSON.stringify(currency)}`);
  }
  const feeCurrency = row.text(titles.feeCurrency);
  if (feeCurrency !== '' && feeCurrency !== currency) {
    throw row.fault(titles.feeCurrency, `expected ${currency}, as of the transaction, found ${feeCurrency}`);
  }
  const completed = timeOf(row.required(titles.completed));
  if (completed === undefined) {
    throw row.fault(titles.completed, 'expected a time like 2026/11/20 12:00:00 -0700');
  }
  const type = typeOf(code);
  const amount = amountIn(row, [titles.gross, titles.side], unit);
  const fee = 0 - amountIn(row, [titles.fee, titles.feeSide], unit);
  const reference = row.text(titles.reference);
  const custom = row.text(titles.custom);
  const id = row.text(titles.id) === '' ? '' : row.required(titles.id);
  return {
    line: row.line,
    merchantAccount: account,
    reference: period,
    currency,
    type,
    ...completed,
    gross: type === 'fee' ? 0 : amount,
    fee: type === 'fee' ? fee - amount : fee,
    // Reports of a day and of its month have the same line. One id stands in several lines, of other events, times or amounts.
    identity: id === '' ? null : [id, code, completed.at.toISOString(), amount, fee, currency].join(' '),
    upstreamReference: id,
    upstreamPayment: type === 'payment' ? id : reference === '' ? null : reference,
    payment: idOf('pay_', custom),
    refund: idOf('re_', custom),
    original: { amount: Math.abs(amount), currency },
  };
}

const required = Object.values(titles).filter((title) => title !== titles.custom);

/** Reads the report record by record. The first field of a record states its kind. */
class SectionReader {
  #section: Section | undefined;
  #titles: ReadonlyMap<string, number> | undefined;
  #bodies = 0;
  #isOpen = false;
  #isEnded = false;

  /** @returns the report line of a record; undefined for a header or footer record */
  next(record: CsvRecord): ReportLine | undefined {
    const { line, fields } = record;
    const [kind, ...rest] = fields;
    switch (kind) {
      case 'SH':
        if (this.#isOpen) this.end(line);
        if (rest.slice(0, 3).join().length > maxNameLength) {
          throw new ReportError(line, null, `what it names has more than ${maxNameLength} characters`);
        }
        this.#section = { account: rest[2] ?? '', period: `${rest[0] ?? ''} to ${rest[1] ?? ''}` };
        this.#bodies = 0;
        this.#isOpen = true;
        return undefined;
      case 'CH':
        this.#titles = titlesOf({ line, fields: rest }, required, name);
        return undefined;
      case 'SB':
        return this.#body({ line, fields: rest });
      case 'SC':
        if (Number(rest[0]) !== this.#bodies) {
          throw new ReportError(
            line,
            null,
            `the section has ${this.#bodies} lines and says ${rest[0] ?? ''}`,
          );
        }
        this.#isOpen = false;
        return undefined;
      case 'FF':
        this.#isEnded = true;
        return undefined;
      case 'RH':
      case 'FH':
      case 'SF':
      case 'RF':
      case 'RC':
        return undefined;
      default:
        throw new ReportError(line, null, `expected SB or another kind of record first: this is no ${name}`);
    }
  }

  #body(record: CsvRecord): ReportLine {
    if (this.#section === undefined || this.#titles === undefined || !this.#isOpen) {
      throw new ReportError(
        record.line,
        null,
        'no section header (SH) and line of titles (CH) stand before it',
      );
    }
    this.#bodies += 1;
    return lineOf(new NamedFields(this.#titles, record), this.#section);
  }

  /** @throws ReportError if a section or the file has no end record */
  end(line: number): void {
    if (this.#section !== undefined && !this.#isOpen && this.#isEnded) return;
    const missing = this.#isOpen ? 'the number of lines (SC)' : 'the last line (FF)';
    const what = this.#section === undefined ? `this is no ${name}` : `${missing} is missing`;
    throw new ReportError(line, null, `${what}: the report is not whole`);
  }
}

/** PayPal's settlement report of a day or any other period. Everything that it booked in one currency forms one payout. */
export const settlementReport: ReportFormat = {
  name,
  // No evidence shows that a section's account id is the merchant id. If it is not, a mismatch would refuse every report.
  namesMerchantAccount: false,
  async *read(records: AsyncIterable<CsvRecord>) {
    const reader = new SectionReader();
    let last = 1;
    for await (const record of records) {
      last = record.line;
      const read = reader.next(record);
      if (read !== undefined) yield read;
    }
    reader.end(last);
  },
};
