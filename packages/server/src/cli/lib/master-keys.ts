import { OperatorError } from '../../accounts/accounts.ts';
import { readConfig } from '../../config/config.ts';
import { findMasterKey } from '../../lib/master-key.ts';
import { deriveMasterKeys, type MasterKeys } from '../../vault/master-keys.ts';
import type { Shell } from './output.ts';

/** The master keys of the server that has the same environment. @throws OperatorError `no_master_key` */
export async function masterKeysOf(shell: Shell): Promise<MasterKeys> {
  const config = readConfig(shell.environment, shell.folder);
  const current = await findMasterKey(config.masterKey, config.dataDir);
  if (current === undefined) {
    throw new OperatorError(
      'no_master_key',
      'There is no master key here. Set TILL_MASTER_KEY or TILL_DATA_DIR as the server has them.',
    );
  }
  return deriveMasterKeys(current, config.masterKeyPrevious);
}
