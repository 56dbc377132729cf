/** Settlement reports, in processor-independent terms. */

import type { PayoutLineType } from '@till/contract';
import type { CsvRecord } from '../../lib/text/csv-records.ts';

/** A report that cannot be imported, with a reason for the person who sent it. Nothing from it is stored. */
export class ReportError extends Error {
  /** @param line counted from 1 @param column its title in the report; null if the problem concerns the whole line */
  constructor(line: number, column: string | null, problem: string) {
    super(`line ${line}${column === null ? '' : `, column ${column}`}: ${problem}`);
    this.name = 'ReportError';
  }
}

/** Identifies the payout to which a line belongs. */
export interface PayoutKey {
  /** The merchant account's name at the processor. */
  readonly merchantAccount: string;
  /** Identical in every report about this payout. */
  readonly reference: string;
  readonly currency: string;
}

/**
 * One line of a report. Amounts are in minor units (ISO 4217) of the payout's currency, negative if money left the merchant's
 * account.
 */
export interface ReportLine extends PayoutKey {
  /** Line number in the file, counted from 1. */
  readonly line: number;
  /** `paid_out` is the transfer to the bank, which is the payout itself. */
  readonly type: PayoutLineType | 'paid_out';
  readonly at: Date;
  /** The date of `at` as `YYYY-MM-DD`, in the report's own time zone. */
  readonly day: string;
  readonly gross: number;
  /** The fee that the processor kept. */
  readonly fee: number;
  /**
   * Identifies the line in every report that contains it. Null if no two reports of the processor contain the same line, or if
   * the line has no id.
   */
  readonly identity: string | null;
  /** The processor's reference of the transaction. */
  readonly upstreamReference: string;
  /** The processor's reference of the payment that the transaction belongs to. */
  readonly upstreamPayment: string | null;
  /** The references that were sent for the payment and for the refund: `pay_` and `re_` ids, if Till made them. */
  readonly payment: string | null;
  readonly refund: string | null;
  /** The amount that the buyer paid or got back, in the payment's currency. */
  readonly original: { readonly amount: number; readonly currency: string } | null;
}

/**
 * Parses a time in a report, and its date in the report's time zone.
 * @param local such as `2026-11-20T12:00:00`
 * @param offset such as `+01:00`, or `Z`
 * @returns undefined for a date that does not exist: JavaScript reads `2026-02-30` as a day in March
 */
export function timeOfReport(local: string, offset: string): Pick<ReportLine, 'at' | 'day'> | undefined {
  const asUtc = new Date(`${local}Z`);
  const at = new Date(`${local}${offset}`);
  // PostgreSQL has no year 0.
  if (Number.isNaN(at.getTime()) || !/^[1-9]/.test(local)) return undefined;
  return asUtc.toISOString().startsWith(local) ? { at, day: local.slice(0, 10) } : undefined;
}

/** In characters. The name of a payout is a database key, and the column has no room for a longer one. */
export const maxNameLength = 255;

/** The format of a processor's own settlement report. */
export interface ReportFormat {
  /** The processor's name for the report. */
  readonly name: string;
  /**
   * Whether the lines certainly name the merchant account of the credentials. If so, a report of another account is refused.
   */
  readonly namesMerchantAccount: boolean;
  /**
   * Reads a report line by line.
   * @throws ReportError if the input is not such a report, or is incomplete
   */
  read(records: AsyncIterable<CsvRecord>): AsyncIterable<ReportLine>;
}

/** Gives access to the fields of one record by column title. */
export class NamedFields {
  readonly line: number;
  readonly #titles: ReadonlyMap<string, number>;
  readonly #fields: readonly string[];

  constructor(titles: ReadonlyMap<string, number>, { line, fields }: CsvRecord) {
    this.line = line;
    this.#titles = titles;
    this.#fields = fields;
    if (fields.length < titles.size) {
      throw new ReportError(line, null, `it has ${fields.length} fields, the line of titles ${titles.size}`);
    }
  }

  /** Empty if the report has no such column. */
  text(title: string): string {
    const index = this.#titles.get(title);
    return index === undefined ? '' : (this.#fields[index] ?? '').trim();
  }

  /** @throws ReportError if the field is empty, or longer than `maxNameLength` */
  required(title: string): string {
    const text = this.text(title);
    if (text === '') throw this.fault(title, 'it is empty');
    if (text.length > maxNameLength) throw this.fault(title, `it has more than ${maxNameLength} characters`);
    return text;
  }

  fault(title: string | null, problem: string): ReportError {
    return new ReportError(this.line, title, problem);
  }
}

/** Maps each title to its column index. @throws ReportError if a required title is missing or a title appears twice */
export function titlesOf(
  { line, fields }: CsvRecord,
  required: readonly string[],
  report: string,
): ReadonlyMap<string, number> {
  const titles = new Map<string, number>();
  for (const [index, field] of fields.entries()) {
    const title = field.trim();
    if (title === '') continue;
    if (titles.has(title)) throw new ReportError(line, title, 'the column stands there twice');
    titles.set(title, index);
  }
  const missing = required.find((title) => !titles.has(title));
  if (missing !== undefined) {
    throw new ReportError(line, missing, `the column is missing: this is no ${report}`);
  }
  return titles;
}
