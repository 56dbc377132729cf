import type { ReactNode } from 'react';
import type { Command } from './commands.ts';

/** One entry of the palette. */
export interface Entry {
  readonly key: string;
  readonly target: Command['target'];
  readonly content: ReactNode;
}

export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly Entry[];
}
