import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { findAccount } from './store.ts';

/** Account time for parts that know an account only by its id, such as the simulated processors. */
export class AccountClocks {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #offsets = new Map<string, number>();

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Every authenticated request brings the account's present offset with it. */
  note(accountId: string, offsetMs: number): void {
    this.#offsets.set(accountId, offsetMs);
  }

  async now(accountId: string): Promise<Date> {
    const offset =
      this.#offsets.get(accountId) ?? (await findAccount(this.#db, accountId))?.clock_offset_ms ?? 0;
    return new Date(this.#clock.now().getTime() + offset);
  }
}
