import { type FileHandle, open, rm } from 'node:fs/promises';
import { OperatorError } from '../../accounts/accounts.ts';
import { messageOf } from '../../lib/text/message-of.ts';

/** A file that a command will write, open before anything is done that cannot be done twice. */
export interface OutFile {
  /** Takes the place of what was there. @throws OperatorError `file_not_written` */
  write(content: string | AsyncIterable<Buffer>): Promise<void>;
  /** What was there stays where nothing was written. */
  close(): Promise<void>;
}

const notWritten = (path: string, error: unknown) =>
  new OperatorError('file_not_written', `The file ${path} cannot be written: ${messageOf(error)}.`);

const isThere = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** @throws OperatorError `file_not_written`, which names it */
export async function openOutFile(path: string): Promise<OutFile> {
  // To append: opening alone empties nothing.
  const existing = () => open(path, 'a').then((handle) => ({ handle, isNew: false }));
  const { handle, isNew }: { handle: FileHandle; isNew: boolean } = await open(path, 'ax')
    .then((made) => ({ handle: made, isNew: true }))
    .catch((error: unknown) => (isThere(error) ? existing() : Promise.reject(error)))
    .catch((error: unknown) => Promise.reject(notWritten(path, error)));
  let isWritten = false;
  return {
    async write(content) {
      try {
        // A pipe or terminal has nothing that could be emptied.
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
