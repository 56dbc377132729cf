import type { Command } from 'commander';

/** The terminal on which a person sees the progress. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Progress {
  /** Replaces the text that was shown before. */
  readonly show: (text: string) => void;
  /** Removes the text, so that the next output begins on an empty line. */
  readonly end: () => void;
}

const clearLine = '\r\u001b[K';

/** Shows progress on one line of a terminal. Writes nothing to pipes and files, nor with `--json`. */
function progressOf(command: Command, terminal: Terminal = process.stderr): Progress {
  const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  if (terminal.isTTY !== true || isJson) return { show: () => {}, end: () => {} };
  return {
    show: (text) => void terminal.write(`${clearLine}${text}`),
    end: () => void terminal.write(clearLine),
  };
}

/** Runs work that shows its progress on one line. The line is removed when the work has ended or failed. */
export async function withProgress<T>(
  command: Command,
  work: (show: Progress['show']) => Promise<T>,
  terminal?: Terminal,
): Promise<T> {
  const progress = progressOf(command, terminal);
  try {
    return await work(progress.show);
  } finally {
    progress.end();
  }
}
