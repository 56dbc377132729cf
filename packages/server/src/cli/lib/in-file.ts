import { access, constants, stat } from 'node:fs/promises';
import { OperatorError } from '../../accounts/accounts.ts';
import { messageOf } from '../../lib/text/message-of.ts';

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Checks, before a command begins its work, that a file can be read. Does not open the file: a pipe can be read only once.
 * @throws OperatorError `no_file`; `file_not_read` for a folder, or without permission
 */
export async function requireReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw isMissing(error)
      ? new OperatorError('no_file', `There is no file ${path}.`)
      : new OperatorError('file_not_read', `The file ${path} cannot be read: ${messageOf(error)}.`);
  }
  if ((await stat(path)).isDirectory()) {
    throw new OperatorError('file_not_read', `${path} is a folder, not a file.`);
  }
}
