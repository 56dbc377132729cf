import { dashboardApi, type ImportedReport, type PayoutDetail } from '@till/contract/dashboard';
import { lockAccount } from '../../accounts/accounts.ts';
import type { AccountContext } from '../../accounts/context.ts';
import type { Clock } from '../../lib/clock.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import { listOfPage, type PagePlace, placeOfPage } from '../../lib/list.ts';
import { plainFileName } from '../../lib/text/file-name.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import { readBookAccounts, saveBookAccounts } from '../../settlements/book-accounts.ts';
import type { ImportQueue } from '../../settlements/import-queue.ts';
import { tryImportReport } from '../../settlements/import-report.ts';
import { listPayouts, requirePayout } from '../../settlements/payouts.ts';
import { presentLine, presentPayout } from '../../settlements/present.ts';
import { nextLines, unmatchedLines } from '../../settlements/reads.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { exportPayouts } from './export-payouts.ts';

export interface PayoutsDependencies {
  readonly db: Database;
  /** The database for lists and pages. */
  readonly reads: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
  readonly connect: PaymentDependencies['connect'];
  readonly reportImports: ImportQueue;
}

async function detailOf(
  reads: Database,
  context: AccountContext,
  id: string,
  { place, onlyUnmatched }: { readonly place: PagePlace; readonly onlyUnmatched: boolean },
): Promise<PayoutDetail> {
  const payout = await requirePayout(reads, context, id);
  const { offset, perPage } = place;
  const rows = onlyUnmatched
    ? await unmatchedLines(reads, context, id, place)
    : await nextLines(reads, context, id, { after: offset, max: perPage });
  const lines = rows.map((row) => ({
    line: presentLine(row, payout),
    at: isoSeconds(row.at),
    unmatched: row.unmatched,
  }));
  return {
    payout: presentPayout(payout, context),
    merchant_account: payout.merchant_account,
    reference: payout.reference,
    corrections: payout.corrections,
    lines: listOfPage(lines, onlyUnmatched ? payout.unmatched_count : payout.lines_count, place),
  };
}

const perPage = 50;

/** The operations on payouts, settlement reports, and the names of the bookkeeping accounts. */
export function payoutsDashboardRoutes(api: DashboardApi, deps: PayoutsDependencies): void {
  const { db, reads } = deps;
  api.mount(dashboardApi.listPayouts, async ({ context, query }) => ({
    status: 200,
    body: await listPayouts(reads, context, query),
  }));
  api.mount(dashboardApi.retrievePayout, async ({ context, params, query }) => ({
    status: 200,
    body: await detailOf(reads, context, params.id ?? '', {
      place: placeOfPage(query, perPage),
      onlyUnmatched: query.lines === 'unmatched',
    }),
  }));
  api.mount(dashboardApi.importSettlementReport, async ({ context, staff, upload, audit }) => {
    const { name: sent, content } = await upload();
    const name = plainFileName(sent);
    const report = {
      tenant: context,
      processor: context.processor,
      connected: deps.connect(context)?.identity ?? null,
      now: context.now,
      name,
      by: staff.email,
      content: () => once(content),
      note: (tx: Queryable, done: ImportedReport) =>
        audit({ objectId: null, after: { file: name, ...done } }, tx),
    };
    const imported: ImportedReport = await deps.reportImports.run(context, () =>
      tryImportReport(deps, report),
    );
    return { status: 200, body: imported };
  });
  api.mount(dashboardApi.exportPayouts, async ({ context, query, audit }) => {
    const books = await readBookAccounts(reads, context.accountId);
    const file = exportPayouts(
      reads,
      context,
      { month: query.month, accountName: context.accountName },
      books,
    );
    await audit({ objectId: null, after: { month: query.month } });
    return { file };
  });
  bookRoutes(api, { db, clock: deps.clock });
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

function bookRoutes(api: DashboardApi, { db, clock }: Pick<PayoutsDependencies, 'db' | 'clock'>): void {
  api.mount(dashboardApi.retrieveBookAccounts, async ({ staff }) => ({
    status: 200,
    body: await readBookAccounts(db, staff.accountId),
  }));
  api.mount(dashboardApi.updateBookAccounts, async ({ staff: { accountId }, body, audit }) => {
    const names = await db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const before = await readBookAccounts(tx, accountId);
      const after = await saveBookAccounts(tx, accountId, body, clock.now());
      await audit({ objectId: accountId, before, after }, tx);
      return after;
    });
    return { status: 200, body: names };
  });
}
