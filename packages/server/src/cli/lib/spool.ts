import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pieceBytes = 1 << 20;

/** Text that is kept on disk until all of it is there. */
export interface Spool {
  append(text: string): Promise<void>;
  /** All of it, some at a time. */
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'till-spool-'));
  let file: FileHandle;
  try {
    file = await open(join(folder, 'text'), 'wx+', 0o600);
  } finally {
    // Without a name, so that a process that is killed leaves nothing.
    await rm(folder, { recursive: true, force: true });
  }
  return {
    append: (text) => file.appendFile(text),
    async *read() {
      for (let position = 0; ; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        position += bytesRead;
      }
    },
    close: () => file.close(),
  };
}
