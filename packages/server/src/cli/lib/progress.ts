import type { Command } from 'commander';

/** Where a person would see how far the work is. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Progress {
  /** Replaces what was shown before. */
  readonly show: (text: string) => void;
  /** Removes it, so that what is printed next stands alone. */
  readonly end: () => void;
}

const clearLine = '\r\u001b[K';

/** Says on one line of a terminal how far long work is. Says nothing into pipes and files, nor with `--json`. */
function progressOf(command: Command, terminal: Terminal = process.stderr): Progress {
  const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  if (terminal.isTTY !== true || isJson) return { show: () => {}, end: () => {} };
  return {
    show: (text) => void terminal.write(`${clearLine}${text}`),
    end: () => void terminal.write(clearLine),
  };
}

/** Runs work that reports its progress on one line, which is removed when the work has ended or failed. */
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
