import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../store/database.ts';
import type { ScopedStatement } from '../../store/scope.ts';
import { checkMasterKey, deriveMasterKeys } from '../../vault/master-keys.ts';
import { rewrapKeys } from '../../vault/rewrap.ts';
import { client, counter, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { resetSignIn } from './reset.ts';
import { findSession } from './sessions.ts';
import { signIn } from './sign-in.ts';
import { activateTotp, beginTotp, disableTotp, renewRecoveryCodes, totpState } from './totp.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const step = 30_000;
const codeRequired = expect.objectContaining({ code: 'code_required', status: 401 });
const invalidCode = expect.objectContaining({ code: 'invalid_code', status: 401, param: 'code' });

/** The code that an authenticator shows now, or some steps earlier or later. */
function codeOf(secret: string, steps = 0): string {
  const timestamp = kit.clock.now().getTime() + steps * step;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

const next = counter();
const attempt = (email: string, code?: string, from = { ...client, ip: `192.0.2.${next()}` }) =>
  signIn(kit.people, { email, password: goodPassword, code }, from, null);

/** Adds a person with an authenticator and moves the clock by a step, so that the next code is unused. */
async function enrolled() {
  const user = await kit.addUser();
  const { secret } = await beginTotp(kit.people, user);
  const codes = await activateTotp(kit.people, user.id, codeOf(secret));
  kit.clock.move(step);
  return { ...user, secret, codes };
}

describe('an authenticator', () => {
  it('is asked for once its first code was given, and not before', async () => {
    const user = await kit.addUser();
    const { secret, uri } = await beginTotp(kit.people, user);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(uri)).toContain(user.email);
    await attempt(user.email);
    await expect(activateTotp(kit.people, user.id, '000000')).rejects.toEqual(invalidCode);
    expect(await totpState(kit.db, user.id)).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    const codes = await activateTotp(kit.people, user.id, codeOf(secret));
    expect(new Set(codes).size).toBe(10);
    expect(await totpState(kit.db, user.id)).toEqual({
      enabledAt: kit.clock.now(),
      recoveryCodesLeft: 10,
    });
    await expect(attempt(user.email)).rejects.toEqual(codeRequired);
  });

  it('takes a code of this step, the one before or the next, each once', async () => {
    const user = await enrolled();
    await attempt(user.email, codeOf(user.secret));
    await expect(attempt(user.email, codeOf(user.secret))).rejects.toEqual(invalidCode);
    await expect(attempt(user.email, codeOf(user.secret, -1))).rejects.toEqual(invalidCode);
    const ahead = codeOf(user.secret, 1);
    await attempt(user.email, `${ahead.slice(0, 3)} ${ahead.slice(3)}`);
    kit.clock.move(step);
    await expect(attempt(user.email, codeOf(user.secret))).rejects.toEqual(invalidCode);
    kit.clock.move(5 * step);
    await expect(attempt(user.email, codeOf(user.secret, -2))).rejects.toEqual(invalidCode);
    await expect(attempt(user.email, codeOf(user.secret, 2))).rejects.toEqual(invalidCode);
    await attempt(user.email, codeOf(user.secret, -1));
  });

  it('takes one code once although it comes many times at once', async () => {
    const user = await enrolled();
    const code = codeOf(user.secret);
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => attempt(user.email, code)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('slows guesses down although the password between them is right', async () => {
    const user = await enrolled();
    const from = { ...client, ip: '203.0.113.99' };
    const codes: unknown[] = [];
    const note = (error: { code?: unknown }) => codes.push(error.code);
    for (let guess = 0; guess < 50; guess += 1) {
      await attempt(user.email, undefined, from).catch(note);
      await attempt(user.email, String(guess).padStart(6, '0'), from).catch(note);
    }
    expect(codes.filter((code) => code === 'invalid_code').length).toBeLessThanOrEqual(5);
    expect(codes.at(-1)).toBe('too_many_attempts');
    kit.clock.move(3_600_000);
    await attempt(user.email, codeOf(user.secret), from);
  });

  it('is not replaced while it is used', async () => {
    const user = await enrolled();
    const conflict = expect.objectContaining({ code: 'conflict' });
    await expect(beginTotp(kit.people, user)).rejects.toEqual(conflict);
    await expect(activateTotp(kit.people, user.id, codeOf(user.secret))).rejects.toEqual(conflict);
    await disableTotp(kit.db, user.id);
    await attempt(user.email);
    await expect(disableTotp(kit.db, user.id)).rejects.toEqual(conflict);
    const [left] = await kit.db.query({
      text: 'select 1 from recovery_codes where user_id = $1',
      values: [user.id],
      scope: 'everybody',
    });
    expect(left).toBeUndefined();
  });

  it('is not turned on by the code of a secret that was replaced meanwhile', async () => {
    const user = await kit.addUser();
    const { secret } = await beginTotp(kit.people, user);
    const db: Queryable = {
      async query<Row>(statement: ScopedStatement) {
        if (statement.text.startsWith('update user_totp set last_step')) {
          kit.clock.move(1);
          await beginTotp(kit.people, user);
        }
        return kit.db.query<Row>(statement);
      },
    };
    await expect(activateTotp({ ...kit.people, db }, user.id, codeOf(secret))).rejects.toEqual(invalidCode);
    expect((await totpState(kit.db, user.id)).enabledAt).toBeNull();
  });

  it('keeps its secret sealed, also under the next master key', async () => {
    const user = await enrolled();
    const [row] = await kit.db.query<{ secret: Buffer }>({
      text: 'select secret from user_totp where user_id = $1',
      values: [user.id],
      scope: 'everybody',
    });
    const plain = Buffer.from(Secret.fromBase32(user.secret).bytes);
    expect(row?.secret.includes(plain)).toBe(false);
    const former = Buffer.alloc(32, 5);
    const masterKeys = deriveMasterKeys(Buffer.alloc(32, 6), former);
    const alone = deriveMasterKeys(Buffer.alloc(32, 6), null);
    await checkMasterKey(kit.db, kit.people.masterKeys, kit.clock.now());
    await expect(checkMasterKey(kit.db, alone, kit.clock.now())).rejects.toThrow(/another master key/);
    await rewrapKeys({ db: kit.db, clock: kit.clock, randomBytes, masterKeys });
    await checkMasterKey(kit.db, alone, kit.clock.now());
    const people = { ...kit.people, masterKeys: alone };
    const credentials = { email: user.email, password: goodPassword, code: codeOf(user.secret) };
    await signIn(people, credentials, { ...client, ip: '203.0.113.50' }, null);
    const back = deriveMasterKeys(former, Buffer.alloc(32, 6));
    await rewrapKeys({ db: kit.db, clock: kit.clock, randomBytes, masterKeys: back });
  });
});

describe('a recovery code', () => {
  it('works once, however it is typed', async () => {
    const user = await enrolled();
    const [code = '', other = ''] = user.codes;
    expect(code).toMatch(/^([0-9a-hj-km-np-tv-z]{4}-){3}[0-9a-hj-km-np-tv-z]{4}$/);
    await attempt(user.email, code.toUpperCase().replaceAll('-', ' '));
    await expect(attempt(user.email, code)).rejects.toEqual(invalidCode);
    await attempt(user.email, other);
    expect((await totpState(kit.db, user.id)).recoveryCodesLeft).toBe(8);
  });

  it('is of no use to somebody else, and none after new ones were made', async () => {
    const [user, other] = [await enrolled(), await enrolled()];
    await expect(attempt(other.email, user.codes[0])).rejects.toEqual(invalidCode);
    const anew = await renewRecoveryCodes(kit.people, user.id);
    await expect(attempt(user.email, user.codes[0])).rejects.toEqual(invalidCode);
    await attempt(user.email, anew[0]);
  });

  it('is of the last codes that were made, also where new ones are asked for twice at once', async () => {
    const user = await enrolled();
    const renew = () => kit.db.transaction((db) => renewRecoveryCodes({ ...kit.people, db }, user.id));
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([renew(), renew(), renew()]);
      expect((await totpState(kit.db, user.id)).recoveryCodesLeft).toBe(10);
    }
  });

  it('is kept as a hash only', async () => {
    const user = await enrolled();
    const rows = await kit.db.query({
      text: 'select c::text as row from recovery_codes c where user_id = $1',
      values: [user.id],
      scope: 'everybody',
    });
    expect(rows).toHaveLength(10);
    for (const code of user.codes) {
      const plain = code.replaceAll('-', '');
      expect(JSON.stringify(rows)).not.toContain(plain);
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(plain).toString('hex'));
    }
  });
});

describe('somebody who cannot sign in', () => {
  it('gets a new password from the operator, with or without the authenticator; sessions end', async () => {
    const account = await kit.openAccount();
    const user = await kit.addUser({ [account]: 'owner' });
    const { token } = await attempt(user.email);
    const reset = (authenticator: boolean) =>
      resetSignIn({ ...kit.people, db: kit.db }, { email: user.email.toUpperCase(), authenticator });
    const { password, authenticator_ended: ended } = await reset(true);
    expect([password.length, ended]).toEqual([20, false]);
    expect(await findSession(kit.people, token)).toBeUndefined();
    await expect(attempt(user.email)).rejects.toMatchObject({ code: 'invalid_credentials' });
    const from = { ...client, ip: '192.0.2.250' };
    expect((await signIn(kit.people, { email: user.email, password }, from, null)).session.userId).toBe(
      user.id,
    );
    const { secret } = await beginTotp(kit.people, user);
    await activateTotp(kit.people, user.id, codeOf(secret));
    expect((await reset(false)).authenticator_ended).toBe(false);
    expect((await totpState(kit.db, user.id)).enabledAt).not.toBeNull();
    expect((await reset(true)).authenticator_ended).toBe(true);
    expect((await totpState(kit.db, user.id)).enabledAt).toBeNull();
    const entries = (await kit.audit(account)).filter(({ action }) => action === 'password.reset');
    expect(entries).toHaveLength(3);
    expect(JSON.stringify(entries)).not.toContain(password);
    await expect(
      resetSignIn({ ...kit.people, db: kit.db }, { email: 'nobody@shop.example', authenticator: false }),
    ).rejects.toMatchObject({ code: 'user_not_found' });
  });
});
