import { type Ledger, readLedger } from '@till/sandbox';
import type { Command } from 'commander';
import { requireAccount } from '../accounts/accounts.ts';
import { readConfig } from '../config.ts';
import { formatAmount } from '../lib/money.ts';
import { databaseUrl, withDatabase } from './connect.ts';
import { type Output, report } from './output.ts';

function asText({ charges, refunds }: Ledger): string {
  const lines = charges.map(
    ({ reference, amount, currency, status }) =>
      `${reference}  ${formatAmount(amount, currency)} ${currency}  ${status}`,
  );
  return [`charges: ${charges.length}`, ...lines, `refunds: ${refunds.length}`].join('\n');
}

export function sandboxCommands(program: Command, output: Output): void {
  program
    .command('sandbox')
    .description('the simulated processors')
    .command('ledger')
    .description('what the simulator really did, read from its own records')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(
        this,
        output,
        () =>
          withDatabase(async (parts) => {
            await requireAccount(parts, account);
            const database = {
              query: async <Row>(text: string, values: readonly unknown[] = []) => ({
                rows: await parts.db.query<Row>({ text, values }),
              }),
            };
            return readLedger(database, account);
          }),
        asText,
      );
    });
}

export function databaseCommands(program: Command, output: Output): void {
  program
    .command('db')
    .description('the database in use')
    .command('url')
    .description('its address, with the password; the embedded one listens on a unix socket')
    .action(function (this: Command) {
      return report(
        this,
        output,
        async () => ({ url: await databaseUrl(readConfig(process.env, process.cwd())) }),
        ({ url }: { url: string }) => url,
      );
    });
}
