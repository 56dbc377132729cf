import { randomBytes } from 'node:crypto';
import { createAccount } from '../accounts/accounts.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase } from '../store/test-migrated.ts';

export interface TestDatabase {
  readonly db: Database;
  /** Opens an account. @returns its id */
  openAccount(): Promise<string>;
  drop(): Promise<void>;
}

/** A database of its own for one test file, with the whole schema in it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createMigratedDatabase('vault_test');
  const db = openDatabase({
    url,
    connections: 6,
    applicationName: 'till test',
    onError: () => {},
  });
  return {
    db,
    async openAccount() {
      const options = { name: 'Shop', processor: 'processor_b', environment: 'sandbox' } as const;
      return (await createAccount({ db, clock: systemClock, randomBytes }, options)).account_id;
    },
    async drop() {
      await db.close();
      await drop();
    },
  };
}

/** A clock that stands still until it is moved or somebody waits; `whileWaiting` runs in every wait. */
export class TestClock implements Clock {
  #ms = Date.parse('2026-11-20T12:00:00Z');
  whileWaiting: () => Promise<void> = async () => {};

  readonly now = (): Date => new Date(this.#ms);
  readonly elapsed = (): number => this.#ms;
  readonly delay = async (ms: number): Promise<void> => {
    await this.whileWaiting();
    this.move(ms);
  };

  move(ms: number): void {
    this.#ms += ms;
  }
}
