import type { BookAccounts } from '@till/contract/dashboard';
import { formatAmount } from '../../lib/money.ts';
import { type Entry, entriesOfLine, entriesOfPayout, isBooked } from '../../settlements/journal.ts';
import { findPayout, nextLines, payoutsOfMonth } from '../../settlements/reads.ts';
import type { LineRow, PayoutRow } from '../../settlements/row.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DownloadedFile } from '../call.ts';
import { byteOrderMark, type Cell, csvLine } from '../exports/csv.ts';
import { csvFileName } from '../exports/file-name.ts';

const linesAtOnce = 1000;

/** One line of the file. `line` is null for the transfer to the bank. */
interface Booked {
  readonly payout: PayoutRow;
  readonly entry: Entry;
  readonly line: LineRow | null;
}

type Column = readonly [title: string, cell: (booked: Booked, books: BookAccounts) => Cell];

/** The columns of the file. Its first line holds the titles, which spreadsheets take for the names of columns. */
const columns: readonly Column[] = [
  ['date', ({ payout }) => payout.arrival_date],
  ['payout', ({ payout }) => payout.id],
  ['entry', ({ entry }) => entry.entry],
  ['debit_account', ({ entry }, books) => books[entry.debit]],
  ['credit_account', ({ entry }, books) => books[entry.credit]],
  ['amount', ({ entry, payout }) => ({ decimal: formatAmount(entry.amount, payout.currency) })],
  ['currency', ({ payout }) => payout.currency],
  ['amount_minor', ({ entry }) => entry.amount],
  ['payment', ({ line }) => line?.payment_id ?? null],
  ['refund', ({ line }) => line?.refund_id ?? null],
  ['dispute', ({ line }) => line?.dispute_id ?? null],
  ['processor_reference', ({ line, payout }) => line?.upstream_reference ?? payout.reference],
  ['unmatched', ({ line }) => line?.unmatched ?? null],
];

async function* bookedOf(db: Database, tenant: Tenant, payout: PayoutRow): AsyncGenerator<Booked[]> {
  // What is paid to the bank is the sum of the lines that are booked, so that the clearing account comes to nothing.
  const paid = { gross: 0, fees: 0 };
  for (let after = 0; after < payout.lines_count; after += linesAtOnce) {
    const read = await nextLines(db, tenant, payout.id, { after, max: linesAtOnce });
    const lines = read.filter(isBooked);
    for (const { gross, fee } of lines) {
      paid.gross += gross;
      paid.fees += fee;
    }
    yield lines.flatMap((line) => entriesOfLine(line).map((entry) => ({ payout, entry, line })));
  }
  const now = await findPayout(db, tenant, payout.id);
  // Some lines may have been read before the correction and some after it. The download breaks off, and the next one gets
  // the corrected lines.
  if (now?.corrections !== payout.corrections) {
    throw new Error(`${payout.id} was corrected while it was exported`);
  }
  yield entriesOfPayout(paid).map((entry) => ({ payout, entry, line: null }));
}

/**
 * A CSV file of the payouts of a month as double-entry bookkeeping, written while the lines are read. Each line debits one
 * account and credits another, and the entries of the clearing account add up to zero for each payout. Reading the file
 * throws if a corrected report is imported meanwhile.
 * @param month of the payouts' dates, as in `2026-11`
 */
export function exportPayouts(
  db: Database,
  tenant: Tenant,
  { month, accountName }: { readonly month: string; readonly accountName: string },
  books: BookAccounts,
): DownloadedFile & { readonly content: AsyncGenerator<string> } {
  async function* write(): AsyncGenerator<string> {
    let before = byteOrderMark + csvLine(columns.map(([title]) => title));
    for (const payout of await payoutsOfMonth(db, tenant, month)) {
      for await (const booked of bookedOf(db, tenant, payout)) {
        yield before + booked.map((one) => csvLine(columns.map(([, cell]) => cell(one, books)))).join('');
        before = '';
      }
    }
    if (before !== '') yield before;
  }
  return {
    name: csvFileName('payouts', { accountName, livemode: tenant.livemode }, month),
    contentType: 'text/csv; charset=utf-8',
    content: write(),
  };
}
