import { randomInt } from 'node:crypto';
import { readLedger } from '@till/sandbox';
import type { Command } from 'commander';
import { type AccountDependencies, requireAccount } from '../../accounts/accounts.ts';
import { type AccountRow, listAccounts, tenantOf } from '../../accounts/store.ts';
import { readConfig } from '../../config/config.ts';
import { systemClock } from '../../lib/clock.ts';
import { merchantAccountOf } from '../../lib/merchant-account.ts';
import { readRecordedPayments } from '../../payments/reads.ts';
import { hasUpdates } from '../../processor-notifications/reads.ts';
import { compareRecords, type Difference, isRepairable } from '../../reconcile/differences.ts';
import { readRecordedRefunds } from '../../refunds/reads.ts';
import { sandboxDatabase } from '../../simulators/database.ts';
import type { Database } from '../../store/database.ts';
import { hasCluster } from '../../store/embedded/backup.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../../store/embedded/embedded-postgres.ts';
import { holdInstance } from '../../store/instance.ts';
import type { Tenant } from '../../store/tenant.ts';
import { inEveryCell, withDatabase, withOpen } from '../lib/connect.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { withProgress } from '../lib/progress.ts';

interface Reconciled {
  readonly compared: number;
  /** The number of payments in doubt. */
  readonly open: number;
  /** The number of differences that notifications which are still to be applied may resolve. */
  readonly unsettled: number;
  readonly differences: readonly (Difference & { readonly account: string; readonly livemode: boolean })[];
}

type Dependencies = AccountDependencies & { readonly db: Database };

async function reconcileOne(
  { db, clock }: Dependencies,
  tenant: Tenant,
  clockOffsetMs: number,
): Promise<Reconciled> {
  const { accountId, livemode } = tenant;
  const now = new Date(clock.now().getTime() + (livemode ? 0 : clockOffsetMs));
  return db.transaction(async (tx) => {
    // Both sides are read in one snapshot: the simulators' ledger is in the same database.
    await tx.query({ text: 'set transaction isolation level repeatable read, read only', scope: 'anybody' });
    const payments = await readRecordedPayments(tx, tenant, now);
    const refunds = await readRecordedRefunds(tx, tenant);
    const ledger = await readLedger(sandboxDatabase(tx), merchantAccountOf(accountId, livemode));
    const unsettled = await hasUpdates(tx, tenant);
    const found = compareRecords({ payments, refunds }, ledger);
    const differences = found.filter((difference) => !(unsettled && isRepairable(difference)));
    const open = payments.filter((payment) => payment.open).length;
    return {
      compared: payments.length - open,
      open,
      unsettled: found.length - differences.length,
      differences: differences.map((difference) => ({ account: accountId, livemode, ...difference })),
    };
  });
}

async function reconcile(
  shell: Shell,
  deps: Dependencies,
  accounts: readonly AccountRow[],
  show: (text: string) => void,
): Promise<Reconciled> {
  const { liveSimulation } = readConfig(shell.environment, shell.folder);
  const results: Reconciled[] = [];
  for (const [index, found] of accounts.entries()) {
    show(`account ${index + 1} of ${accounts.length}`);
    for (const livemode of liveSimulation ? [false, true] : [false]) {
      results.push(await reconcileOne(deps, tenantOf(found, livemode), found.clock_offset_ms));
    }
  }
  return together(results);
}

function together(results: readonly Reconciled[]): Reconciled {
  return {
    compared: results.reduce((sum, { compared }) => sum + compared, 0),
    open: results.reduce((sum, { open }) => sum + open, 0),
    unsettled: results.reduce((sum, { unsettled }) => sum + unsettled, 0),
    differences: results.flatMap(({ differences }) => differences),
  };
}

/** Reconciles one account in its cell, or all accounts of every cell. */
async function reconcileAll(
  shell: Shell,
  account: string | undefined,
  show: (text: string) => void,
): Promise<Reconciled> {
  const found =
    account === undefined
      ? together(
          await inEveryCell(shell, async (deps) => reconcile(shell, deps, await listAccounts(deps.db), show)),
        )
      : await withDatabase(shell, async (deps) =>
          reconcile(shell, deps, [await requireAccount(deps, account)], show),
        );
  if (found.differences.length > 0) shell.fail('', 1);
  return found;
}

/** Runs work on the running server's database. If no server runs, as after a restore, starts the embedded database for it. */
async function onDatabase<T>(shell: Shell, work: (shell: Shell) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfig(shell.environment, shell.folder);
  const isStopped =
    databaseUrl === null && (await findRunningPostgres(dataDir)) === undefined && (await hasCluster(dataDir));
  if (!isStopped) return work(shell);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const on = { ...shell, environment: { ...shell.environment, DATABASE_URL: postgres.url } };
  const stop = async () => {
    // A database that was running already belongs to a server.
    if (!postgres.adopted) await postgres.stop();
  };
  try {
    return await withOpen(shell, postgres.url, async (db) => {
      // Keeps a server from starting meanwhile, since its database would be stopped at the end.
      const held = await holdInstance(db, {
        number: randomInt(1, 2 ** 31 - 1),
        exclusive: true,
        clock: systemClock,
        onLost: () => {},
      });
      try {
        return await work(on);
      } finally {
        held.release();
      }
    });
  } finally {
    await stop();
  }
}

const asText = ({ compared, open, unsettled, differences }: Reconciled) =>
  [
    `${compared} payments compared with what the processors did, ${open} still open, ${differences.length} differences`,
    ...(unsettled === 0
      ? []
      : [`${unsettled} differences of refunds may be settled by notifications under way: look again`]),
    ...(differences.length === 0 ? [] : [asTable(differences)]),
  ].join('\n');

export function reconcileCommands(program: Command, shell: Shell): void {
  program
    .command('reconcile')
    .description("compare our records with the simulated processors' ledgers; exit code 1 where they differ")
    .option('--account <id>', 'this account only')
    .action(async function (this: Command, { account }: { account?: string }) {
      await report(
        this,
        shell,
        () => withProgress(this, (show) => onDatabase(shell, (on) => reconcileAll(on, account, show))),
        asText,
      );
    });
}
