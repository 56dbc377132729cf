import { randomBytes } from 'node:crypto';
import { createAccount } from '../accounts/accounts.ts';
import { type AccountRow, findAccount, tenantOf } from '../accounts/store.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase } from '../store/migrations/test-migrated.ts';
import type { Tenant } from '../store/tenant.ts';

export interface TestDatabase {
  readonly db: Database;
  /** Opens an account. @returns its id */
  openAccount(): Promise<string>;
  /** Opens an account. @returns its tenant in test mode */
  openTenant(): Promise<Tenant>;
  drop(): Promise<void>;
}

/** Creates a separate database with the whole schema for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createMigratedDatabase('vault_test');
  const db = openDatabase({
    url,
    connections: 6,
    // Many callers may wait for a connection at once, on a slow machine.
    acquireMs: 60_000,
    applicationName: 'till test',
    onError: () => {},
  });
  const openAccount = async () => {
    const options = { name: 'Shop', processor: 'processor_b', environment: 'sandbox' } as const;
    return remembered(await createAccount({ db, clock: systemClock, randomBytes }, options));
  };
  return {
    db,
    openAccount,
    openTenant: async () => findTenant(db, await openAccount()),
    async drop() {
      await db.close();
      await drop();
    },
  };
}

const opened = new Map<string, AccountRow>();

/** Remembers an account for `tenantIn`. @returns the account's id */
export function remembered(account: AccountRow): string {
  opened.set(account.account_id, account);
  return account.account_id;
}

/** The tenant, in one mode, of an account that this file's tests opened. */
export function tenantIn(accountId: string, livemode = false): Tenant {
  const account = opened.get(accountId);
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  return tenantOf(account, livemode);
}

/** Reads the tenant of an account in one mode from the database. */
export async function findTenant(db: Database, accountId: string, livemode = false): Promise<Tenant> {
  const account = await findAccount(db, accountId);
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  return tenantOf(account, livemode);
}

/** A clock that stands still until `move` or `delay` is called; `whileWaiting` runs during every delay. */
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
