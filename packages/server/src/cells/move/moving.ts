import type { Clock } from '../../lib/clock.ts';
import type { Connection, Database } from '../../store/database.ts';
import type { Move } from './store.ts';
import type { MovedAccount, MovedTable } from './tables.ts';

/** How long until every process knows a change of the directory, which it polls four times a second. */
export const directoryRefreshMs = 600;

export type Step = 'noted' | 'copied' | 'held' | 'fenced' | 'committing' | 'arrived' | 'moved' | 'removed';

export interface MoveDependencies {
  /** The home database. */
  readonly home: Database;
  readonly clock: Clock;
  /** The database of a cell by its name. */
  readonly open: (cell: string) => Promise<Database>;
  /** Called with the number of rows copied so far. */
  readonly onRows?: (count: number) => void;
  /** Called after each step. Tests stop the move there. */
  readonly onStep?: (step: Step) => Promise<void>;
}

/** A move in progress, with its connections. */
export interface Moving {
  readonly deps: MoveDependencies;
  readonly move: Move;
  readonly account: MovedAccount;
  readonly tables: readonly MovedTable[];
  readonly source: Connection;
  /** In a repeatable-read transaction. */
  readonly snapshot: Connection;
  readonly target: Connection;
}
