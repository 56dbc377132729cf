import type { Command } from 'commander';
import { requireAccount } from '../accounts/accounts.ts';
import { rebuildFigures } from '../dashboard/figures/count.ts';
import { withDatabase } from './connect.ts';
import { type Output, report } from './output.ts';

export function figureCommands(program: Command, output: Output): void {
  const figures = program.command('figures').description("the sums behind the dashboard's home page");
  figures
    .command('rebuild')
    .description('count everything anew; the server may keep running')
    .option('--account <id>', 'default: all accounts')
    .action(function (this: Command, { account }: { account?: string }) {
      return report(this, output, () =>
        withDatabase(async (parts) => {
          if (account !== undefined) await requireAccount(parts, account);
          const rebuilt = await rebuildFigures(parts, account ?? null);
          return rebuilt.map(({ accountId, livemode }) => ({ account: accountId, livemode }));
        }),
      );
    });
}
