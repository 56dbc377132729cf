import { OperatorError } from '../../accounts/accounts.ts';
import { checkMasterKey, MasterKeyError, type MasterKeys } from '../../vault/master-keys.ts';
import { Vault } from '../../vault/vault.ts';
import { type CommandDependencies, inEveryCell, withDatabase } from './connect.ts';
import { masterKeysOf } from './master-keys.ts';
import type { Shell } from './output.ts';

export interface VaultCommandDependencies extends CommandDependencies {
  readonly masterKeys: MasterKeys;
  readonly vault: Vault;
}

/** @throws OperatorError `no_master_key` */
async function withVaultOf<T>(
  shell: Shell,
  work: (deps: VaultCommandDependencies) => Promise<T>,
): Promise<(deps: CommandDependencies) => Promise<T>> {
  const masterKeys = await masterKeysOf(shell);
  return async (deps) => {
    try {
      await checkMasterKey(deps.db, masterKeys, deps.clock.now());
      return await work({ ...deps, masterKeys, vault: new Vault({ ...deps, masterKeys }) });
    } catch (error) {
      throw error instanceof MasterKeyError ? new OperatorError('wrong_master_key', error.message) : error;
    }
  };
}

/**
 * Runs a command with the database that has the object which it names (`withDatabase`), and with that database's vault.
 * @throws OperatorError `no_master_key`, `wrong_master_key`
 */
export async function withVault<T>(
  shell: Shell,
  work: (deps: VaultCommandDependencies) => Promise<T>,
): Promise<T> {
  return withDatabase(shell, await withVaultOf(shell, work));
}

/** Runs a command with the database and vault of every cell, home first. */
export async function withEveryVault<T>(
  shell: Shell,
  work: (deps: VaultCommandDependencies) => Promise<T>,
): Promise<T[]> {
  return inEveryCell(shell, await withVaultOf(shell, work));
}
