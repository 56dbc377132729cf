import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { requireAccount } from '../../accounts/accounts.ts';
import { presentTenant, tenantOf } from '../../accounts/store.ts';
import { exportLedger } from '../../dashboard/ledger/ledger.ts';
import { localTime } from '../../lib/time-zone.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

function month(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('a month such as 2026-11');
  return text;
}

/** The month before the one that a day is in: `2026-12-05` → `2026-11`. */
function monthBefore(day: string): string {
  const [year = 0, number = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}

interface ExportOptions {
  readonly account: string;
  readonly month?: string;
  readonly live?: boolean;
  readonly out?: string;
}

/** The books of an account, for a schedule of the operator's. */
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
          const tenant = options.live === true ? tenantOf(account, true) : presentTenant(account);
          const timeZone = account.time_zone;
          const chosen = options.month ?? monthBefore(localTime(deps.clock.now(), timeZone).day);
          const file = exportLedger(deps.db, tenant, {
            month: chosen,
            timeZone,
            processor: account.processor,
          });
          let movements = -1;
          const pieces: string[] = [];
          for await (const piece of file.content) {
            movements += piece.split('\r\n').length - 1;
            pieces.push(piece);
          }
          const path = options.out ?? file.name;
          await writeFile(path, pieces);
          return { file: path, month: chosen, time_zone: timeZone, movements };
        }),
      );
    });
}
