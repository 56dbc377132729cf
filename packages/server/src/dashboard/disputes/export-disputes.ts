import type { DisputesExportQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { type ExportedDispute, type InboxPeople, nextDisputes } from '../../disputes/inbox.ts';
import { disputedAmount } from '../../disputes/present.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { formatAmount } from '../../lib/money.ts';
import type { Database } from '../../store/database.ts';
import type { DownloadedFile } from '../call.ts';
import { type Columns, listFile, localCell } from '../exports/list-file.ts';

const rowsAtOnce = 500;

const raisedAt = (row: ExportedDispute): Date => row.raised_at ?? row.created_at;

/** The columns of the file. Each amount is given in minor units and in the currency's major unit. */
const columns: Columns<ExportedDispute> = [
  ['id', ({ id }) => id],
  ['raised', (row, timeZone) => localCell(raisedAt(row), timeZone)],
  ['status', ({ status }) => status],
  ['state', ({ state }) => state],
  ['reason', ({ reason }) => reason ?? 'general'],
  ['network_reason_code', ({ network_reason_code: code }) => code],
  ['answer_by', ({ respond_by: by }, timeZone) => by && localCell(by, timeZone)],
  [
    'amount',
    (row) => {
      const { amount, currency } = disputedAmount(row);
      return formatAmount(amount, currency);
    },
  ],
  ['amount_minor', (row) => disputedAmount(row).amount],
  ['currency', (row) => disputedAmount(row).currency],
  ['payment', ({ payment_id: payment }) => payment],
  ['payment_reference', ({ payment_reference: reference }) => reference],
  ['payment_amount', (row) => formatAmount(row.payment_amount, row.payment_currency)],
  ['payment_amount_minor', (row) => row.payment_amount],
  ['customer', ({ customer_id: customer }) => customer],
  ['method', ({ method_type: method }) => method],
  ['brand', ({ brand }) => brand],
  ['last4', ({ last4 }) => last4],
  ['arn', ({ arn }) => arn],
  ['processor_id', ({ upstream_id: id }) => id],
  ['raised_utc', (row) => isoSeconds(raisedAt(row))],
];

/**
 * A CSV file of all disputes that a view of the inbox matches, newest first. The file is written while the rows are read.
 * @param people the account's people, for the filter by assignee
 */
export function exportDisputes(
  db: Database,
  context: AccountContext,
  query: DisputesExportQuery,
  people: InboxPeople,
): DownloadedFile {
  return listFile(context, {
    list: 'disputes',
    query,
    columns,
    pages: pagesOf(db, context, query, people),
  });
}

async function* pagesOf(
  db: Database,
  context: AccountContext,
  query: DisputesExportQuery,
  people: InboxPeople,
): AsyncGenerator<readonly ExportedDispute[]> {
  let before: number | null = null;
  for (;;) {
    const rows: ExportedDispute[] = await nextDisputes(db, context, query, people, {
      before,
      limit: rowsAtOnce,
    });
    if (rows.length > 0) yield rows;
    before = rows.at(-1)?.seq ?? null;
    if (rows.length < rowsAtOnce) return;
  }
}
