import { createHash } from 'node:crypto';
import { invalidParam, type Provider } from '@till/contract';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { CsvFault, csvRecords } from '../lib/text/csv-records.ts';
import {
  type PayoutKey,
  ReportFault,
  type ReportFormat,
  type ReportLine,
} from '../processors/port/settlement.ts';
import { processors } from '../processors/registry.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { markHeld, removeCorrected, removeLines } from './lines.ts';
import { firstTry } from './match-later.ts';
import { type Matched, matchedOf } from './matching.ts';
import { ownLinesOnly } from './merchant-account.ts';
import type { PayoutRow } from './row.ts';
import {
  correctPayout,
  findKnown,
  findReport,
  insertLines,
  insertPayout,
  insertReport,
  isOnlyImport,
  type NewLine,
  type Sums,
  sumLines,
  waitForOtherImports,
} from './write.ts';

const linesAtOnce = 1000;
/** In one report: days of one month in many currencies. */
const maxPayouts = 1000;

export interface ImportDependencies {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
}

/** A report, and whose it is. */
export interface ReportToImport {
  readonly tenant: Tenant;
  readonly processor: Provider;
  /** Identity of the merchant account that the account is connected to (`processors/port/connected.ts`); null: to none. */
  readonly connected: string | null;
  /** Account time. */
  readonly now: Date;
  /** Of the file. */
  readonly name: string;
  /** An e-mail address; null: the operator. */
  readonly by: string | null;
  /** The file's bytes from the beginning, at each call: it is read twice, and never held whole. */
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Writes the entry of the audit log, in the transaction of the import. */
  readonly note: (tx: Queryable, imported: ImportedReport) => Promise<void>;
}

/** What an import came to, or had come to before. */
export type ImportedReport = Matched & {
  readonly payouts: number;
  /** The same file was imported before: nothing changed, but that lines may match by now. */
  readonly repeated: boolean;
  /** Lines of payouts imported before that did not match until now. */
  readonly newly_matched: number;
  /** Payouts of which an earlier report said something else. */
  readonly corrected: number;
};

/**
 * Imports a processor's report of what it paid out, and matches it to payments, refunds and disputes, all of it or nothing.
 * The same report again changes nothing but what its lines match by now; another report of the same payout takes its place.
 * @throws ApiError `invalid_params` with `param` `report` for what is no such report, not the whole of one, or one of another
 *   merchant account, naming line and column
 */
export async function importReport(
  deps: ImportDependencies,
  report: ReportToImport,
): Promise<ImportedReport> {
  const locked = async (tx: Queryable) => {
    await waitForOtherImports(tx, report.tenant);
    return true;
  };
  const imported = await importLocked(deps, report, locked);
  if (imported === undefined) throw new Error('an import that waits for the others runs');
  return imported;
}

/** As `importReport`. @returns undefined where another process imports a report of this tenant: nothing was imported */
export const tryImportReport = (
  deps: ImportDependencies,
  report: ReportToImport,
): Promise<ImportedReport | undefined> => importLocked(deps, report, (tx) => isOnlyImport(tx, report.tenant));

async function importLocked(
  { db, clock, randomBytes }: ImportDependencies,
  report: ReportToImport,
  lock: (tx: Queryable) => Promise<boolean>,
): Promise<ImportedReport | undefined> {
  const { tenant, processor, now } = report;
  const format = processors[processor].settlementReport;
  if (format === undefined) throw invalidParam('report', `No reports of ${processor} are read.`);
  const sha256 = await hashOf(report);
  const read = async (tx: Queryable): Promise<ImportedReport> => {
    const before = await findReport(tx, tenant, sha256);
    if (before !== undefined) {
      return { ...(await matchedOf(tx, tenant, before.payouts)), repeated: true, corrected: 0 };
    }
    const reading = new Import(tx, report, clock.now(), (prefix) => newId(prefix, now, randomBytes));
    await reading.read(format);
    const { ids, same, corrected } = await reading.end();
    const { name, by } = report;
    const row = {
      tenant: tenant.tenant,
      sha256,
      name: name.slice(0, 255),
      imported_by: by,
      imported_at: now,
      payouts: ids,
    };
    await insertReport(tx, tenant, row);
    return { ...(await matchedOf(tx, tenant, ids, same)), repeated: false, corrected };
  };
  return db
    .transaction(async (tx) => {
      if (!(await lock(tx))) return undefined;
      const imported = await read(tx);
      await report.note(tx, imported);
      return imported;
    })
    .catch((error: unknown) => {
      if (error instanceof ReportFault) {
        throw invalidParam('report', `${error.message}. Nothing was imported.`);
      }
      if (!(error instanceof CsvFault)) throw error;
      throw invalidParam('report', `line ${error.line}: ${error.message}. Nothing was imported.`);
    });
}

async function hashOf({ content }: ReportToImport): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of content()) hash.update(chunk);
  return hash.digest();
}

/** A payout of the report, whose lines are written under an id of their own until all are there. */
interface Pending {
  readonly key: PayoutKey;
  readonly id: string;
  lines: number;
  /** When it was paid out, else the latest line, and on which day there. */
  at: Date;
  day: string;
  isPaid: boolean;
}

/** What an earlier report said of a payout, and the sums of this one; null: it says the same. */
type Compared =
  | { readonly known: PayoutRow; readonly sums: null }
  | { readonly known: PayoutRow | undefined; readonly sums: Sums };

/** A payout that is new, or of which an earlier report said something else. */
type Ending = Extract<Compared, { readonly sums: Sums }> & { readonly payout: Pending };

const nameOf = ({ merchantAccount, reference, currency }: PayoutKey): string =>
  JSON.stringify([merchantAccount, reference, currency]);

/** One import under way, within its transaction. */
class Import {
  readonly #tx: Queryable;
  readonly #report: ReportToImport;
  readonly #realNow: Date;
  readonly #newId: (prefix: 'po' | 'pol') => string;
  readonly #payouts = new Map<string, Pending>();
  #waiting: NewLine[] = [];

  constructor(
    tx: Queryable,
    report: ReportToImport,
    realNow: Date,
    newIdOf: (prefix: 'po' | 'pol') => string,
  ) {
    this.#tx = tx;
    this.#report = report;
    this.#realNow = realNow;
    this.#newId = newIdOf;
  }

  async read(format: ReportFormat): Promise<void> {
    const { tenant, connected, content } = this.#report;
    const requireOwn = format.namesMerchantAccount ? ownLinesOnly(this.#tx, tenant, connected) : undefined;
    for await (const line of format.read(csvRecords(content()))) {
      await requireOwn?.(line);
      this.#take(line);
      if (this.#waiting.length >= linesAtOnce) await this.#write();
    }
    await this.#write();
  }

  #take(read: ReportLine): void {
    const name = nameOf(read);
    const payout = this.#payouts.get(name) ?? this.#begin(name, read);
    if (read.type === 'paid_out') {
      payout.at = read.at;
      payout.day = read.day;
      payout.isPaid = true;
      return;
    }
    if (!payout.isPaid && read.at > payout.at) {
      payout.at = read.at;
      payout.day = read.day;
    }
    payout.lines += 1;
    this.#waiting.push({ id: this.#newId('pol'), payoutId: payout.id, number: payout.lines, read });
  }

  #begin(name: string, read: ReportLine): Pending {
    if (this.#payouts.size >= maxPayouts) {
      throw new ReportFault(read.line, null, `a report holds at most ${maxPayouts} payouts`);
    }
    const { merchantAccount, reference, currency, at, day } = read;
    const key = { merchantAccount, reference, currency };
    const begun: Pending = { key, id: this.#newId('po'), lines: 0, at, day, isPaid: false };
    this.#payouts.set(name, begun);
    return begun;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    if (lines.length > 0) await insertLines(this.#tx, this.#report.tenant, lines);
  }

  /** @returns the ids of the payouts; those that were imported before and say the same; how many were corrected */
  async end() {
    const ids: string[] = [];
    const same: string[] = [];
    const ending: Ending[] = [];
    for (const payout of this.#payouts.values()) {
      const { known, sums } = await this.#compare(payout);
      ids.push(known?.id ?? payout.id);
      if (sums === null) same.push(known.id);
      else ending.push({ payout, known, sums });
    }
    // What they say no longer is removed from all of them by now: what moved from one payout to another is free.
    const later = ending.map(({ payout }) => payout.id);
    for (const one of ending) {
      later.shift();
      await this.#endPayout(one, later);
    }
    return { ids, same, corrected: ending.filter(({ known }) => known !== undefined).length };
  }

  /** Sums a payout's lines up, and removes those that they take the place of, or them where they say nothing new. */
  async #compare({ key, id, lines, day }: Pending): Promise<Compared> {
    const { tenant, processor } = this.#report;
    const known = await findKnown(this.#tx, tenant, processor, key);
    const sums = await sumLines(this.#tx, tenant, id);
    if (known?.digest === sums.digest && known.arrival_date === day) {
      await removeLines(this.#tx, tenant, id, lines);
      return { known, sums: null };
    }
    if (known !== undefined) await removeCorrected(this.#tx, tenant, known, this.#realNow);
    return { known, sums };
  }

  /** @param later as `markHeld` */
  async #endPayout({ payout, known, sums: read }: Ending, later: readonly string[]): Promise<void> {
    const { tenant, processor, now } = this.#report;
    const { key, id, day: arrivalDate } = payout;
    const { open, unmatched_count } = await markHeld(this.#tx, tenant, payout, later);
    const sums = { ...read, unmatched_count };
    const matchAt = firstTry(open, this.#realNow);
    if (known !== undefined) {
      await correctPayout(this.#tx, tenant, { known, written: payout, sums, arrivalDate, matchAt });
      return;
    }
    const { merchantAccount, reference, currency } = key;
    const row: PayoutRow = {
      tenant: tenant.tenant,
      id,
      provider: processor,
      merchant_account: merchantAccount,
      reference,
      currency,
      ...sums,
      arrival_date: arrivalDate,
      corrections: 0,
      match_tries: 0,
      match_at: matchAt,
      created_at: now,
    };
    await insertPayout(this.#tx, tenant, row);
  }
}
