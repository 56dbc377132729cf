/** Reports of what a processor paid out, in words of ours. */

import type { PayoutLineType } from '@till/contract';
import type { CsvRecord } from '../../lib/text/csv-records.ts';

/** A report that cannot be taken, in words for the person who sent it. Nothing of it is kept. */
export class ReportFault extends Error {
  /** @param line from 1 @param column its title in the report; null where the line as a whole is meant */
  constructor(line: number, column: string | null, problem: string) {
    super(`line ${line}${column === null ? '' : `, column ${column}`}: ${problem}`);
    this.name = 'ReportFault';
  }
}

/** Which payout a line belongs to. */
export interface PayoutKey {
  /** As the processor calls it. */
  readonly merchantAccount: string;
  /** The same in every report of this payout. */
  readonly reference: string;
  readonly currency: string;
}

/** One line of a report. Amounts in minor units (ISO 4217) of the payout's currency; negative where money went out. */
export interface ReportLine extends PayoutKey {
  /** In the file, from 1. */
  readonly line: number;
  /** `paid_out`: the transfer to the bank, which is the payout itself. */
  readonly type: PayoutLineType | 'paid_out';
  readonly at: Date;
  /** `YYYY-MM-DD`, of that moment where the report is kept. */
  readonly day: string;
  readonly gross: number;
  /** What the processor kept. */
  readonly fee: number;
  /** The processor's reference of what happened. */
  readonly upstreamReference: string;
  /** The processor's reference of the payment that it happened to. */
  readonly upstreamPayment: string | null;
  /** What was sent as the name of the payment and of the refund. */
  readonly payment: string | null;
  readonly refund: string | null;
  /** What the buyer paid or got, in the currency of the payment. */
  readonly original: { readonly amount: number; readonly currency: string } | null;
}

/**
 * A time as a report writes it, and its day there.
 * @param local such as `2026-11-20T12:00:00` @param offset such as `+01:00`, or `Z`
 * @returns undefined for what no calendar has: JavaScript reads `2026-02-30` as a day in March
 */
export function timeOfReport(local: string, offset: string): Pick<ReportLine, 'at' | 'day'> | undefined {
  const asUtc = new Date(`${local}Z`);
  const at = new Date(`${local}${offset}`);
  // PostgreSQL has no year 0.
  if (Number.isNaN(at.getTime()) || !/^[1-9]/.test(local)) return undefined;
  return asUtc.toISOString().startsWith(local) ? { at, day: local.slice(0, 10) } : undefined;
}

/** In characters: what names a payout is a key in the database, where a longer one has no room. */
export const maxNameLength = 255;

/** A processor's own format. */
export interface ReportFormat {
  /** What the processor calls it. */
  readonly name: string;
  /** Whether what its lines name is the merchant account of the credentials for certain: another one's are refused then. */
  readonly namesMerchantAccount: boolean;
  /**
   * Reads a report line by line.
   * @throws ReportFault for what is no such report, or not the whole of one
   */
  read(records: AsyncIterable<CsvRecord>): AsyncIterable<ReportLine>;
}

/** The fields of one record by their titles. */
export class NamedFields {
  readonly line: number;
  readonly #titles: ReadonlyMap<string, number>;
  readonly #fields: readonly string[];

  constructor(titles: ReadonlyMap<string, number>, { line, fields }: CsvRecord) {
    this.line = line;
    this.#titles = titles;
    this.#fields = fields;
    if (fields.length < titles.size) {
      throw new ReportFault(line, null, `it has ${fields.length} fields, the line of titles ${titles.size}`);
    }
  }

  /** Empty where the report has no such column. */
  text(title: string): string {
    const index = this.#titles.get(title);
    return index === undefined ? '' : (this.#fields[index] ?? '').trim();
  }

  /** @throws ReportFault where it is empty, or longer than any such field is */
  required(title: string): string {
    const text = this.text(title);
    if (text === '') throw this.fault(title, 'it is empty');
    if (text.length > maxNameLength) throw this.fault(title, `it has more than ${maxNameLength} characters`);
    return text;
  }

  fault(title: string | null, problem: string): ReportFault {
    return new ReportFault(this.line, title, problem);
  }
}

/** Where each title stands. @throws ReportFault for one that is missing or stands there twice */
export function titlesOf(
  { line, fields }: CsvRecord,
  required: readonly string[],
  report: string,
): ReadonlyMap<string, number> {
  const titles = new Map<string, number>();
  for (const [index, field] of fields.entries()) {
    const title = field.trim();
    if (title === '') continue;
    if (titles.has(title)) throw new ReportFault(line, title, 'the column stands there twice');
    titles.set(title, index);
  }
  const missing = required.find((title) => !titles.has(title));
  if (missing !== undefined) {
    throw new ReportFault(line, missing, `the column is missing: this is no ${report}`);
  }
  return titles;
}
