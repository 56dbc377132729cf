import type { Command } from 'commander';
import { requireAccount } from '../../accounts/accounts.ts';
import { type AccountRow, listAccounts } from '../../accounts/store.ts';
import { rebuildFigures } from '../../dashboard/figures/count.ts';
import { type CommandDependencies, inEveryCell, withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { withProgress } from '../lib/progress.ts';

async function rebuild(
  deps: CommandDependencies,
  accounts: readonly AccountRow[],
  show: (text: string) => void,
) {
  const rebuilt: { account: string; livemode: boolean }[] = [];
  for (const [index, { account_id: id }] of accounts.entries()) {
    show(`account ${index + 1} of ${accounts.length}`);
    const done = await rebuildFigures(deps, id);
    rebuilt.push(...done.map(({ accountId, livemode }) => ({ account: accountId, livemode })));
  }
  return rebuilt;
}

export function figureCommands(program: Command, shell: Shell): void {
  const figures = program.command('figures').description("the sums behind the dashboard's home page");
  figures
    .command('rebuild')
    .description('count everything anew; the server may keep running')
    .option('--account <id>', 'default: all accounts')
    .action(function (this: Command, { account }: { account?: string }) {
      return report(this, shell, () =>
        withProgress(this, (show) =>
          account === undefined
            ? inEveryCell(shell, async (deps) => rebuild(deps, await listAccounts(deps.db), show)).then(
                (all) => all.flat(),
              )
            : withDatabase(shell, async (deps) => rebuild(deps, [await requireAccount(deps, account)], show)),
        ),
      );
    });
}
