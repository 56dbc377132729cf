import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pieceBytes = 1 << 20;

/** Collects text in a temporary file until it is complete. */
export interface Spool {
  append(text: string): Promise<void>;
  /** Reads the whole text, in chunks. */
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'till-spool-'));
  let file: FileHandle;
  try {
    file = await open(join(folder, 'text'), 'wx+', 0o600);
  } finally {
    // The open file needs no name: this way a killed process leaves nothing behind.
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
