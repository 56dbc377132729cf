import { randomBytes } from 'node:crypto';
import type { Role } from '@till/contract/dashboard';
import { newId } from '../lib/ids.ts';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import type { Database } from '../store/database.ts';
import { deriveMasterKeys } from '../vault/master-keys.ts';
import { createTestDatabase, findTenant, TestClock } from '../vault/test-database.ts';
import type { PasswordDependencies } from './people/dependencies.ts';
import { Passwords, type PasswordWork } from './people/passwords.ts';
import { insertMembership, insertUser } from './people/users.ts';

export const goodPassword = 'correct horse battery';

/** Hashes instantly and counts the calls. */
export class CountedWork implements PasswordWork {
  hashed = 0;
  verified = 0;

  readonly hash = async (password: string): Promise<string> => {
    this.hashed += 1;
    return `$argon2id$test$${password}`;
  };

  readonly verify = async (hashed: string, password: string): Promise<boolean> => {
    this.verified += 1;
    return hashed === `$argon2id$test$${password}`;
  };
}

/** Returns 1, 2, 3 and so on. */
export function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

export const client = { ip: '203.0.113.7', userAgent: 'test' };

/** Everything that operations on people need, on a database of its own. */
export async function createPeopleKit() {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = new TestClock();
  const work = new CountedWork();
  const people: PasswordDependencies = {
    db,
    clock,
    randomBytes,
    masterKeys: deriveMasterKeys(Buffer.alloc(32, 5), null),
    passwords: new Passwords(work),
    mail: { clock, randomBytes, sends: true },
    publicAddress: () => 'http://till.example',
    suspend: suspendNothing,
  };
  const next = counter();
  return {
    db,
    clock,
    work,
    people,
    drop: () => database.drop(),
    openAccount: () => database.openAccount(),
    /** The account's tenant in test mode. */
    tenant: (accountId: string) => findTenant(db, accountId),
    /** Adds a person with `goodPassword` who is a member of the named accounts. */
    async addUser(memberships: Readonly<Record<string, Role>> = {}) {
      const user = { id: newId('usr', clock.now(), randomBytes), email: `person${next()}@shop.example` };
      await insertUser(db, {
        ...user,
        passwordHash: `$argon2id$test$${goodPassword}`,
        at: clock.now(),
      });
      for (const [accountId, role] of Object.entries(memberships)) {
        await insertMembership(db, { accountId, userId: user.id, role, at: clock.now() });
      }
      return user;
    },
    audit: (accountId: string) => auditOf(db, accountId),
  };
}

export type PeopleKit = Awaited<ReturnType<typeof createPeopleKit>>;

/** An account's audit log, oldest first. */
export function auditOf(db: Database, accountId: string) {
  return db.query<{
    action: string;
    email: string | null;
    object_id: string | null;
    before: unknown;
    after: unknown;
  }>({
    text: 'select action, email, object_id, before, after from audit_log where account_id = $1 order by id',
    values: [accountId],
    scope: { accountId },
  });
}
