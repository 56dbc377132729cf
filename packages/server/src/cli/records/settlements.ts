import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { ApiError } from '@till/contract';
import type { Command } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { currentTenant, tenantOf } from '../../accounts/store.ts';
import { readConfig } from '../../config/config.ts';
import { openConnection } from '../../connections/connections.ts';
import { exportPayouts } from '../../dashboard/payouts/export-payouts.ts';
import { merchantAccountOf } from '../../lib/merchant-account.ts';
import { identityOf } from '../../processors/connect.ts';
import { simulatorIdentity } from '../../processors/port/connected.ts';
import { readBookAccounts } from '../../settlements/book-accounts.ts';
import { importReport } from '../../settlements/import-report.ts';
import { presentLine, presentPayout } from '../../settlements/present.ts';
import { findPayout, listPayoutRows, unmatchedLines } from '../../settlements/reads.ts';
import { writeAudit } from '../../users/audit/audit.ts';
import { type CommandDependencies, withDatabase } from '../lib/connect.ts';
import { requireReadable } from '../lib/in-file.ts';
import { lastMonth, month, writeCsv } from '../lib/month-file.ts';
import { report, type Shell } from '../lib/output.ts';
import { type VaultCommandDependencies, withVault } from '../lib/with-vault.ts';

interface AccountOptions {
  readonly account: string;
  readonly live?: boolean;
}

interface ExportOptions extends AccountOptions {
  readonly month?: string;
  readonly out?: string;
}

/** How many payouts, or lines of one payout, a command shows. */
const max = 100;

/** The identity of the merchant account that payments use, as the server computes it; null if there is no connection. */
async function identityOfConnection(
  shell: Shell,
  deps: VaultCommandDependencies,
  { processor, ...tenant }: AccountContext,
): Promise<string | null> {
  const { accountId, livemode } = tenant;
  const isSimulated = livemode && readConfig(shell.environment, shell.folder).liveSimulation;
  const own = isSimulated ? undefined : await openConnection(deps, tenant);
  if (own !== undefined) return identityOf(processor, livemode, own);
  return livemode && !isSimulated ? null : simulatorIdentity(merchantAccountOf(accountId, livemode));
}

/** Imports a settlement report. @throws OperatorError `no_file`, `file_not_read`; `invalid_report` with line and column */
async function importFile(shell: Shell, file: string, options: AccountOptions) {
  await requireReadable(file);
  return withVault(shell, async (deps) => {
    const account = await requireAccount(deps, options.account);
    const livemode = options.live === true || account.environment === 'live';
    const context = backgroundContext(account, livemode, deps.clock.now());
    try {
      return await importReport(deps, {
        tenant: context,
        processor: account.processor,
        connected: await identityOfConnection(shell, deps, context),
        now: context.now,
        name: basename(file),
        by: null,
        content: () => createReadStream(file),
        note: (db, imported) =>
          writeAudit(
            { ...deps, db },
            {
              ...context,
              actor: { type: 'operator' },
              action: 'settlement_report.imported',
              objectId: null,
              before: null,
              after: { file: basename(file), ...imported },
              ip: null,
            },
          ),
      });
    } catch (error) {
      throw error instanceof ApiError ? new OperatorError('invalid_report', error.message) : error;
    }
  });
}

/** The account, and the tenant of its payouts: of its current environment, or live with `--live`. */
const readAs = async (deps: CommandDependencies, { account: id, live }: AccountOptions) => {
  const account = await requireAccount(deps, id);
  return { account, tenant: live === true ? tenantOf(account, true) : currentTenant(account) };
};

/** Lists the newest payouts. */
const list = (shell: Shell, options: AccountOptions) =>
  withDatabase(shell, async (deps) => {
    const { tenant } = await readAs(deps, options);
    const { rows } = await listPayoutRows(deps.db, tenant, { offset: 0, perPage: max });
    return rows.map((row) => presentPayout(row, tenant));
  });

/** Lists the lines of a payout that match no record. @throws OperatorError `payout_not_found` */
const unmatched = (shell: Shell, id: string, options: AccountOptions) =>
  withDatabase(shell, async (deps) => {
    const { tenant } = await readAs(deps, options);
    const payout = await findPayout(deps.db, tenant, id);
    if (payout === undefined) throw new OperatorError('payout_not_found', `The account has no payout ${id}.`);
    const rows = await unmatchedLines(deps.db, tenant, id, { offset: 0, perPage: max });
    return rows.map((row) => ({ reason: row.unmatched, ...presentLine(row, payout) }));
  });

/** Exports a month of payouts for double-entry bookkeeping. */
const exportBooks = (shell: Shell, options: ExportOptions) =>
  withDatabase(shell, async (deps) => {
    const { account, tenant } = await readAs(deps, options);
    const chosen = options.month ?? lastMonth(deps.clock.now(), account.time_zone);
    const books = await readBookAccounts(deps.db, tenant.accountId);
    const exported = exportPayouts(deps.db, tenant, { month: chosen, accountName: account.name }, books);
    const { file, lines } = await writeCsv(exported, options.out);
    return { file, month: chosen, movements: lines };
  });

/** `till settlements`: the processors' payouts. */
export function settlementCommands(program: Command, shell: Shell): void {
  const settlements = program
    .command('settlements')
    .description("the processors' reports of what they paid out");
  const live = ['--live', 'of live payments, whatever the environment is now'] as const;
  settlements
    .command('import')
    .description(
      'import a report and match it to payments, refunds and disputes; the same one again matches what is known by now',
    )
    .argument('<file>', 'CSV as the processor wrote it')
    .requiredOption('--account <id>')
    .option(...live)
    .action(function (this: Command, file: string, options: AccountOptions) {
      return report(this, shell, async () => {
        const {
          repeated: _repeated,
          corrected: _corrected,
          newly_matched: _newlyMatched,
          ...sums
        } = await importFile(shell, file, options);
        return sums;
      });
    });
  settlements
    .command('list')
    .description(`the newest ${max} payouts of an account, with gross, fees and net`)
    .requiredOption('--account <id>')
    .option(...live)
    .action(function (this: Command, options: AccountOptions) {
      return report(this, shell, () => list(shell, options));
    });
  settlements
    .command('unmatched')
    .description(`the first ${max} lines of a payout that do not match, with the reason`)
    .argument('<payout>')
    .requiredOption('--account <id>')
    .option(...live)
    .action(function (this: Command, id: string, options: AccountOptions) {
      return report(this, shell, () => unmatched(shell, id, options));
    });
  settlements
    .command('export')
    .description(
      "write a CSV file of a month's payouts for double-entry books; the last whole month where none is named",
    )
    .requiredOption('--account <id>')
    .option('--month <month>', 'such as 2026-11', month)
    .option(...live)
    .option('--out <file>', 'instead of its usual name in this folder')
    .action(function (this: Command, options: ExportOptions) {
      return report(this, shell, () => exportBooks(shell, options));
    });
}
