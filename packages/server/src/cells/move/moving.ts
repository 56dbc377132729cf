import type { Clock } from '../../lib/clock.ts';
import type { Connection, Database } from '../../store/database.ts';
import type { Move } from './store.ts';
import type { MovedAccount, MovedTable } from './tables.ts';

/** After so long every process has seen a change of the directory, which it reads four times a second. */
export const directoryRefreshMs = 600;

export type Step = 'noted' | 'copied' | 'held' | 'fenced' | 'committing' | 'arrived' | 'moved' | 'removed';

export interface MoveDependencies {
  /** The home database. */
  readonly home: Database;
  readonly clock: Clock;
  /** The database of a cell by its name. */
  readonly open: (cell: string) => Promise<Database>;
  /** Called with how many rows were copied so far. */
  readonly onRows?: (count: number) => void;
  /** Called after each step; tests stop it there. */
  readonly onStep?: (step: Step) => Promise<void>;
}

/** A move under way, with the connections that it works on. */
export interface Moving {
  readonly deps: MoveDependencies;
  readonly move: Move;
  readonly account: MovedAccount;
  readonly tables: readonly MovedTable[];
  readonly source: Connection;
  /** In one transaction with one snapshot. */
  readonly snapshot: Connection;
  readonly target: Connection;
}
