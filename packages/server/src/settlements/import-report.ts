import { createHash } from 'node:crypto';
import { invalidParam, type Provider } from '@till/contract';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { CsvFault, csvRecords } from '../lib/text/csv-records.ts';
import {
  type PayoutKey,
  ReportError,
  type ReportFormat,
  type ReportLine,
} from '../processors/port/settlement.ts';
import { processors } from '../processors/registry.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { markHeld, removeCorrected, removeLines } from './lines.ts';
import { firstRetryAt } from './match-later.ts';
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
  lockImports,
  type NewLine,
  type Sums,
  sumLines,
  tryLockImports,
} from './write.ts';

const linesAtOnce = 1000;
/** Limit for one report. Enough for the days of a month in many currencies. */
const maxPayouts = 1000;

export interface ImportDependencies {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
}

/** A report, and the account it is imported for. */
export interface ReportToImport {
  readonly tenant: Tenant;
  readonly processor: Provider;
  /** Identity of the connected merchant account (`processors/port/connected.ts`); null if the account is not connected. */
  readonly connected: string | null;
  /** Account time. */
  readonly now: Date;
  /** File name. */
  readonly name: string;
  /** E-mail address of the person who imports it; null for the operator. */
  readonly by: string | null;
  /** Streams the file's bytes; each call starts at the beginning. The file is read twice and never held in memory as a whole. */
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Writes the audit log entry in the transaction of the import. */
  readonly note: (tx: Queryable, imported: ImportedReport) => Promise<void>;
}

/** The result of an import, or of the earlier import of the same file. */
export type ImportedReport = Matched & {
  readonly payouts: number;
  /** Whether the same file was imported before. Then nothing changes, except that more lines may match now. */
  readonly repeated: boolean;
  /** How many lines of previously imported payouts match now and did not before. */
  readonly newly_matched: number;
  /** How many payouts replaced the different content of an earlier report. */
  readonly corrected: number;
};

/**
 * Imports a processor's settlement report and matches its lines to payments, refunds and disputes, as a whole or not at all.
 * Importing the same report again only matches lines that have become known since; a different report of the same payout
 * replaces the first.
 * @throws ApiError `invalid_params` with `param` `report`, naming line and column, if the file is not such a report, is
 *   incomplete, or belongs to another merchant account
 */
export async function importReport(
  deps: ImportDependencies,
  report: ReportToImport,
): Promise<ImportedReport> {
  const locked = async (tx: Queryable) => {
    await lockImports(tx, report.tenant);
    return true;
  };
  const imported = await importLocked(deps, report, locked);
  if (imported === undefined) throw new Error('an import that waits for the others runs');
  return imported;
}

/** Like `importReport`, but resolves to undefined, with nothing imported, if another process imports a report of this tenant. */
export const tryImportReport = (
  deps: ImportDependencies,
  report: ReportToImport,
): Promise<ImportedReport | undefined> =>
  importLocked(deps, report, (tx) => tryLockImports(tx, report.tenant));

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
      if (error instanceof ReportError) {
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

/** A payout that is being read. Its lines are stored under a new payout id until all of them are written. */
interface Pending {
  readonly key: PayoutKey;
  readonly id: string;
  lines: number;
  /** Time and day (in the report's time zone) of the transfer to the bank, or of the latest line if there is no transfer yet. */
  at: Date;
  day: string;
  isPaid: boolean;
}

/** The payout as an earlier report had it, and the sums of this report; null if both reports say the same. */
type Compared =
  | { readonly known: PayoutRow; readonly sums: null }
  | { readonly known: PayoutRow | undefined; readonly sums: Sums };

/** A payout that is new, or that differs from an earlier report. */
type Ending = Extract<Compared, { readonly sums: Sums }> & { readonly payout: Pending };

const nameOf = ({ merchantAccount, reference, currency }: PayoutKey): string =>
  JSON.stringify([merchantAccount, reference, currency]);

/** One import in progress, within its transaction. */
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
      throw new ReportError(read.line, null, `a report holds at most ${maxPayouts} payouts`);
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

  /** @returns the ids of all payouts, the ids of those that are unchanged since an earlier import, and how many were corrected */
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
    // `#compare` has removed the old lines of all corrected payouts, so a payment that moved to another payout is free here.
    const later = ending.map(({ payout }) => payout.id);
    for (const one of ending) {
      later.shift();
      await this.#endPayout(one, later);
    }
    return { ids, same, corrected: ending.filter(({ known }) => known !== undefined).length };
  }

  /** Sums up the new lines of a payout, and removes the old lines that they replace, or the new ones if nothing changed. */
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
    const matchAt = firstRetryAt(open, this.#realNow);
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
