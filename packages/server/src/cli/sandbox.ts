import { type Ledger, readLedger } from '@till/sandbox';
import type { Command } from 'commander';
import { requireAccount } from '../accounts/accounts.ts';
import { sandboxDatabase } from '../compose/sandbox-database.ts';
import { readConfig } from '../config.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { formatAmount } from '../lib/money.ts';
import { databaseUrl, withDatabase } from './connect.ts';
import { report, type Shell } from './output.ts';

function asText({ charges, refunds }: Ledger): string {
  const lines = charges.map(
    ({ reference, amount, currency, status }) =>
      `${reference}  ${formatAmount(amount, currency)} ${currency}  ${status}`,
  );
  return [`charges: ${charges.length}`, ...lines, `refunds: ${refunds.length}`].join('\n');
}

export function sandboxCommands(program: Command, shell: Shell): void {
  program
    .command('sandbox')
    .description('the simulated processors')
    .command('ledger')
    .description('what the simulator really did, read from its own records')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(
        this,
        shell,
        () =>
          withDatabase(shell, async (parts) => {
            await requireAccount(parts, account);
            const database = sandboxDatabase(parts.db);
            const ledgers = await Promise.all(
              [false, true].map((livemode) => readLedger(database, merchantAccountOf(account, livemode))),
            );
            return {
              charges: ledgers.flatMap(({ charges }) => charges),
              refunds: ledgers.flatMap(({ refunds }) => refunds),
            };
          }),
        asText,
      );
    });
}

export function databaseCommands(program: Command, shell: Shell): void {
  program
    .command('db')
    .description('the database in use')
    .command('url')
    .description('its address, with the password; the embedded one listens on a unix socket')
    .action(function (this: Command) {
      return report(
        this,
        shell,
        async () => ({ url: await databaseUrl(readConfig(shell.environment, shell.folder)) }),
        ({ url }: { url: string }) => url,
      );
    });
}
