import type { Command } from 'commander';
import { requireAccount } from '../../accounts/accounts.ts';
import { currentTenant, tenantOf } from '../../accounts/store.ts';
import { exportLedger } from '../../dashboard/ledger/ledger.ts';
import { withDatabase } from '../lib/connect.ts';
import { lastMonth, month, writeCsv } from '../lib/month-file.ts';
import { report, type Shell } from '../lib/output.ts';

interface ExportOptions {
  readonly account: string;
  readonly month?: string;
  readonly live?: boolean;
  readonly out?: string;
}

/** `till ledger`: exports an account's books, for example in a scheduled job. */
export function ledgerCommands(program: Command, shell: Shell): void {
  program
    .command('ledger')
    .description('all movements of money of a month')
    .command('export')
    .description(
      "write a CSV file of a month in the account's time zone; the last whole month where none is named",
    )
    .requiredOption('--account <id>')
    .option('--month <month>', 'such as 2026-11', month)
    .option('--live', 'of live payments, whatever the environment is now')
    .option('--out <file>', 'instead of its usual name in this folder')
    .action(function (this: Command, options: ExportOptions) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const account = await requireAccount(deps, options.account);
          const tenant = options.live === true ? tenantOf(account, true) : currentTenant(account);
          const timeZone = account.time_zone;
          const chosen = options.month ?? lastMonth(deps.clock.now(), timeZone);
          const file = exportLedger(deps.db, tenant, {
            month: chosen,
            timeZone,
            accountName: account.name,
          });
          const { file: path, lines } = await writeCsv(file, options.out);
          return { file: path, month: chosen, time_zone: timeZone, movements: lines };
        }),
      );
    });
}
