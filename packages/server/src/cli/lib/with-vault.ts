import { OperatorError } from '../../accounts/accounts.ts';
import { readConfig } from '../../config/config.ts';
import { findMasterKey } from '../../lib/master-key.ts';
import {
  checkMasterKey,
  deriveMasterKeys,
  MasterKeyError,
  type MasterKeys,
} from '../../vault/master-keys.ts';
import { Vault } from '../../vault/vault.ts';
import { withDatabase } from './connect.ts';
import type { Shell } from './output.ts';

type VaultCommandDependencies = Parameters<Parameters<typeof withDatabase>[1]>[0] & {
  readonly masterKeys: MasterKeys;
  readonly vault: Vault;
};

/**
 * Runs one command with the database of the running server and the vault that its secrets are sealed with.
 * @throws OperatorError `no_master_key`, `wrong_master_key`
 */
export async function withVault<T>(
  shell: Shell,
  work: (deps: VaultCommandDependencies) => Promise<T>,
): Promise<T> {
  const config = readConfig(shell.environment, shell.folder);
  const current = await findMasterKey(config.masterKey, config.dataDir);
  if (current === undefined) {
    throw new OperatorError(
      'no_master_key',
      'There is no master key here. Set TILL_MASTER_KEY or TILL_DATA_DIR as the server has them.',
    );
  }
  const masterKeys = deriveMasterKeys(current, config.masterKeyPrevious);
  return withDatabase(shell, async (deps) => {
    try {
      await checkMasterKey(deps.db, masterKeys, deps.clock.now());
      return await work({ ...deps, masterKeys, vault: new Vault({ ...deps, masterKeys }) });
    } catch (error) {
      throw error instanceof MasterKeyError ? new OperatorError('wrong_master_key', error.message) : error;
    }
  });
}
