import { type FileHandle, open, rm } from 'node:fs/promises';
import { OperatorError } from '../../accounts/accounts.ts';
import { messageOf } from '../../lib/text/message-of.ts';

/** An output file that a command opens before it does anything that cannot be repeated. */
export interface OutFile {
  /** Replaces the former content. @throws OperatorError `file_not_written` */
  write(content: string | AsyncIterable<Buffer>): Promise<void>;
  /** Closes the file. If nothing was written, an existing file keeps its content. */
  close(): Promise<void>;
}

const notWritten = (path: string, error: unknown) =>
  new OperatorError('file_not_written', `The file ${path} cannot be written: ${messageOf(error)}.`);

const isThere = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** @throws OperatorError `file_not_written`, which names it */
export async function openOutFile(path: string): Promise<OutFile> {
  // Opened for appending, since opening alone must not truncate the file.
  const existing = () => open(path, 'a').then((handle) => ({ handle, isNew: false }));
  const { handle, isNew }: { handle: FileHandle; isNew: boolean } = await open(path, 'ax')
    .then((made) => ({ handle: made, isNew: true }))
    .catch((error: unknown) => (isThere(error) ? existing() : Promise.reject(error)))
    .catch((error: unknown) => Promise.reject(notWritten(path, error)));
  let isWritten = false;
  return {
    async write(content) {
      try {
        // A pipe or a terminal cannot be truncated.
        if ((await handle.stat()).isFile()) await handle.truncate(0);
        for await (const piece of typeof content === 'string' ? [content] : content)
          await handle.writeFile(piece);
        isWritten = true;
      } catch (error) {
        throw notWritten(path, error);
      }
    },
    async close() {
      await handle.close();
      if (isNew && !isWritten) await rm(path, { force: true });
    },
  };
}
