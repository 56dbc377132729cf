import { type Ledger, movementTypes } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { formatAmount } from '../../lib/money.ts';
import { localTime, monthIn } from '../../lib/time-zone.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DownloadedFile } from '../call.ts';
import { byteOrderMark, type Cell, csvLine } from '../exports/csv.ts';
import { csvFileName } from '../exports/file-name.ts';
import { type Movement, movementsIn } from './movements.ts';

/** A calendar month in a time zone. */
export interface LedgerMonth {
  /** For example `2026-11`. */
  readonly month: string;
  /** IANA name. */
  readonly timeZone: string;
}

/** The sums of a month, by currency and type. */
export async function retrieveLedger(
  db: Database,
  tenant: Tenant,
  { month, timeZone }: LedgerMonth,
): Promise<Ledger> {
  const range = monthIn(month, timeZone);
  const sums = new Map<string, Ledger['sums'][number]>();
  for await (const movements of movementsIn(db, tenant, range)) {
    for (const { currency, type, amount } of movements) {
      const key = `${currency} ${movementTypes.indexOf(type)}`;
      const sum = sums.get(key) ?? { currency, type, count: 0, amount: 0 };
      sums.set(key, { ...sum, count: sum.count + 1, amount: sum.amount + amount });
    }
  }
  return {
    month,
    time_zone: timeZone,
    from: isoSeconds(range.from),
    to: isoSeconds(range.to),
    sums: [...sums.keys()].sort().flatMap((key) => sums.get(key) ?? []),
  };
}

/** The columns of the file. Its first line holds the titles, which spreadsheets take for the names of columns. */
const columns: readonly (readonly [title: string, cell: (movement: Movement, timeZone: string) => Cell])[] = [
  ['date', ({ at }, timeZone) => localTime(at, timeZone).day],
  ['time', ({ at }, timeZone) => localTime(at, timeZone).time],
  ['time_zone', (_movement, timeZone) => timeZone],
  ['type', ({ type }) => type],
  ['amount', ({ amount, currency }) => ({ decimal: formatAmount(amount, currency) })],
  ['currency', ({ currency }) => currency],
  ['amount_minor', ({ amount }) => amount],
  ['payment', ({ payment }) => payment],
  ['object', ({ object }) => object],
  ['reference', ({ reference }) => reference],
];

/** A CSV file with one line for each movement of a month. The file is written while the movements are read. */
export function exportLedger(
  db: Database,
  tenant: Tenant,
  { month, timeZone, accountName }: LedgerMonth & { readonly accountName: string },
): DownloadedFile & { readonly content: AsyncGenerator<string> } {
  const range = monthIn(month, timeZone);
  async function* write() {
    let before = byteOrderMark + csvLine(columns.map(([title]) => title));
    for await (const movements of movementsIn(db, tenant, range)) {
      yield before + movements.map((one) => csvLine(columns.map(([, cell]) => cell(one, timeZone)))).join('');
      before = '';
    }
  }
  return {
    name: csvFileName('ledger', { accountName, livemode: tenant.livemode }, month),
    contentType: 'text/csv; charset=utf-8',
    content: write(),
  };
}
