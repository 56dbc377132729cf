import type { Command } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { hasMoves } from '../../cells/move/store.ts';
import { rewrapKeys, ServerWithoutKeyError } from '../../vault/rewrap.ts';
import { rotateKeys } from '../../vault/rotate.ts';
import { accountsWithKeys } from '../../vault/store.ts';
import { withHome } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { withProgress } from '../lib/progress.ts';
import { type VaultCommandDependencies, withEveryVault, withVault } from '../lib/with-vault.ts';

async function rotate(
  deps: VaultCommandDependencies,
  account: string | undefined,
  show: (text: string) => void,
): Promise<{ accounts: number; rows: number }> {
  if (account !== undefined) await requireAccount(deps, account);
  const withKeys = await accountsWithKeys(deps.db);
  const accounts = withKeys.filter((id) => account === undefined || id === account);
  const onRows = (count: number) => show(`${accounts.length} accounts, ${count} secrets sealed anew`);
  const rows = await rotateKeys({ ...deps, onRows }, accounts);
  return { accounts: accounts.length, rows };
}

/** @throws OperatorError `server_without_key` */
async function rewrapOne(deps: VaultCommandDependencies): Promise<number> {
  try {
    return await rewrapKeys(deps);
  } catch (error) {
    throw error instanceof ServerWithoutKeyError
      ? new OperatorError('server_without_key', error.message)
      : error;
  }
}

/**
 * Wraps the account keys of every cell under the current master key.
 * @throws OperatorError `server_without_key`; `move_under_way` if keys of an account that is being moved may not be rewrapped yet
 */
async function rewrap(shell: Shell): Promise<{ keys: number }> {
  let keys = 0;
  for (;;) {
    const counts = await withEveryVault(shell, rewrapOne);
    const wrapped = counts.reduce((sum, count) => sum + count, 0);
    keys += wrapped;
    // Meanwhile an account may have moved to a cell that this loop has already passed.
    if (wrapped === 0) break;
  }
  if (await withHome(shell, ({ db }) => hasMoves(db))) {
    throw new OperatorError(
      'move_under_way',
      'An account is being moved, and may have a key under the previous master key still. Call this again once it was.',
    );
  }
  return { keys };
}

export function vaultCommands(program: Command, shell: Shell): void {
  const vault = program.command('vault').description('the keys that protect stored secrets');
  vault
    .command('rotate')
    .description("seal stored secrets anew with a new key of the account's, while servers run")
    .option('--account <id>', 'this account only')
    .action(function (this: Command, { account }: { account?: string }) {
      return report(this, shell, () =>
        withProgress(this, (show) =>
          account === undefined
            ? withEveryVault(shell, (deps) => rotate(deps, undefined, show)).then((all) => ({
                accounts: all.reduce((sum, one) => sum + one.accounts, 0),
                rows: all.reduce((sum, one) => sum + one.rows, 0),
              }))
            : withVault(shell, (deps) => rotate(deps, account, show)),
        ),
      );
    });
  vault
    .command('rewrap')
    .description("wrap the accounts' keys under TILL_MASTER_KEY instead of TILL_MASTER_KEY_PREVIOUS")
    .action(function (this: Command) {
      return report(this, shell, () => rewrap(shell));
    });
}
