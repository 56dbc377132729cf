import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../store/database.ts';
import type { ScopedStatement } from '../../store/scope.ts';
import { client, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { changePassword, checkCredentials, signIn } from './sign-in.ts';
import { activateTotp, beginTotp } from './totp.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const failures = async (account: string) =>
  (await kit.audit(account)).filter(({ action }) => action.startsWith('sign_in.'));

const guess = (email: string, ip = client.ip) =>
  checkCredentials(kit.people, { email, password: 'a wrong password' }, ip).catch(
    ({ code }: { code: string }) => code,
  );

const dayMs = 86_400_000;

/** Adds a person who is a member of two accounts. */
async function open() {
  const accounts = [await kit.openAccount(), await kit.openAccount()] as const;
  const user = await kit.addUser({ [accounts[0]]: 'viewer', [accounts[1]]: 'owner' });
  return { accounts, user };
}

describe('an attempt to sign in that fails', () => {
  it('stands in the log of each account of the person whose address was tried', async () => {
    const { accounts, user } = await open();
    expect(await guess(user.email.toUpperCase())).toBe('invalid_credentials');
    for (const account of accounts) {
      expect(await kit.audit(account)).toEqual([
        {
          action: 'sign_in.failed',
          email: user.email,
          object_id: user.id,
          before: null,
          after: { reason: 'password', failures: 1 },
        },
      ]);
    }
  });

  it('says from when on further ones have to wait, and for how long', async () => {
    const { accounts, user } = await open();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await guess(user.email)).toBe('invalid_credentials');
      expect(attempt < 5 || (await guess(user.email)) === 'too_many_attempts').toBe(true);
      kit.clock.move(60_000);
    }
    expect((await failures(accounts[0])).map(({ action, after }) => [action, after])).toEqual([
      ...[1, 2, 3, 4].map((count) => ['sign_in.failed', { reason: 'password', failures: count }]),
      ['sign_in.locked', { reason: 'password', failures: 5, locked_seconds: 1 }],
      ['sign_in.locked', { reason: 'password', failures: 10, locked_seconds: 32 }],
    ]);
  });

  it('fills no log, however many there are and wherever they come from', async () => {
    const { accounts, user } = await open();
    for (let attempt = 0; attempt < 120; attempt += 1) {
      await guess(user.email, `198.51.100.${attempt}`);
      kit.clock.move(60_000);
    }
    const logged = (await failures(accounts[0])).map(({ after }) => (after as { failures: number }).failures);
    expect(logged).toEqual([1, 2, 3, 4, 5, 10, 20, 50, 100]);
  });

  it('is counted anew after a sign-in, and after a day of quiet', async () => {
    const { accounts, user } = await open();
    const logged = async () =>
      (await failures(accounts[0])).map(({ after }) => (after as { failures: number }).failures);
    await guess(user.email);
    kit.clock.move(1);
    await guess(user.email);
    kit.clock.move(1);
    await signIn(kit.people, { email: user.email, password: goodPassword }, client, null);
    await guess(user.email);
    kit.clock.move(dayMs + 1);
    await guess(user.email);
    expect(await logged()).toEqual([1, 2, 1, 1]);
  });

  it('by a wrong code says that the password was right; a code that is still to come is no failure', async () => {
    const { accounts, user } = await open();
    await beginTotp(kit.people, user);
    await kit.db.query({
      text: 'update user_totp set enabled_at = $2 where user_id = $1',
      values: [user.id, kit.clock.now()],
      scope: 'everybody',
    });
    const attempt = (code?: string) =>
      checkCredentials(kit.people, { email: user.email, password: goodPassword, code }, client.ip);
    await expect(attempt()).rejects.toMatchObject({ code: 'code_required' });
    expect(await failures(accounts[0])).toEqual([]);
    await expect(attempt('000000')).rejects.toMatchObject({ code: 'invalid_code' });
    expect(await failures(accounts[0])).toMatchObject([{ after: { reason: 'code', failures: 1 } }]);
    await expect(activateTotp(kit.people, user.id, '000000')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('to change the password counts too', async () => {
    const { accounts, user } = await open();
    const { session } = await signIn(kit.people, { email: user.email, password: goodPassword }, client, null);
    const options = { currentPassword: 'a wrong password', newPassword: 'another good password' };
    await expect(changePassword(kit.people, session, options, client)).rejects.toThrow();
    expect(await failures(accounts[1])).toMatchObject([{ after: { reason: 'password' } }]);
  });
});

describe('an address that nobody has', () => {
  /** The statements of a refused attempt in their order, without the values that differ between any two attempts. */
  async function statementsOf(email: string): Promise<string[]> {
    const sent: string[] = [];
    const listening = (db: Queryable) => ({
      query: <Row>(statement: ScopedStatement) => {
        sent.push(statement.text);
        return db.query<Row>(statement);
      },
    });
    const db = {
      ...kit.db,
      ...listening(kit.db),
      transaction: <T>(work: (tx: Queryable) => Promise<T>) =>
        kit.db.transaction((tx) => work(listening(tx))),
    };
    await checkCredentials({ ...kit.people, db }, { email, password: 'wrong' }, '192.0.2.99').catch(() => {});
    return sent;
  }

  it('costs the same statements as one that somebody has, and leaves no entry', async () => {
    const { user } = await open();
    const before = await kit.db.query({ text: 'select 1 from audit_log', scope: 'everybody' });
    const stranger = await statementsOf('nobody@shop.example');
    expect(await kit.db.query({ text: 'select 1 from audit_log', scope: 'everybody' })).toHaveLength(
      before.length,
    );
    const sorted = (texts: string[]) => texts.toSorted();
    expect(sorted(stranger)).toEqual(sorted(await statementsOf(user.email)));
    expect(stranger.some((text) => text.includes('sign_in_throttles set counted_since'))).toBe(true);
  });
});
