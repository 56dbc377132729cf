import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Passwords } from '../people/passwords.ts';
import { client, counter, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { endOtherSessions, findSession, listSessions } from './sessions.ts';
import { changePassword, confirmSession, signIn } from './sign-in.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const hour = 3_600_000;
const wrong = expect.objectContaining({ code: 'invalid_credentials', status: 401 });
const throttled = expect.objectContaining({ code: 'too_many_attempts', status: 429 });

/** Each test uses an address of its own, so that the failures of one test do not slow down another. */
const next = counter();
const freshClient = () => ({ ...client, ip: `198.51.100.${next()}` });

const attempt = (email: string, password: string, from = freshClient()) =>
  signIn(kit.people, { email, password }, from, null);

describe('signing in', () => {
  it('starts a session, and writes it into the log of every account of the person', async () => {
    const accounts = [await kit.openAccount(), await kit.openAccount()] as const;
    const user = await kit.addUser({ [accounts[0]]: 'owner', [accounts[1]]: 'viewer' });
    const { session, token } = await attempt(`  ${user.email.toUpperCase()} `, goodPassword);
    expect(session).toMatchObject({ userId: user.id, email: user.email });
    expect(await findSession(kit.people, token)).toEqual(session);
    for (const account of accounts) {
      expect(await kit.audit(account)).toEqual([
        { action: 'session.created', email: user.email, object_id: session.id, before: null, after: null },
      ]);
    }
  });

  it('keeps the token nowhere', async () => {
    const user = await kit.addUser();
    const { token } = await attempt(user.email, goodPassword);
    const rows = await kit.db.query({
      text: 'select s::text as row from sessions s where user_id = $1',
      values: [user.id],
      scope: 'everybody',
    });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('always gives a new session and ends the one that the browser had', async () => {
    const user = await kit.addUser();
    const first = await attempt(user.email, goodPassword);
    const second = await signIn(
      kit.people,
      { email: user.email, password: goodPassword },
      freshClient(),
      first.token,
    );
    expect(second.token).not.toBe(first.token);
    expect(second.session.id).not.toBe(first.session.id);
    expect(await findSession(kit.people, first.token)).toBeUndefined();
  });

  it('costs strangers and people with a wrong password the same work and gives them the same answer', async () => {
    const user = await kit.addUser();
    const before = kit.work.verified;
    const ofPerson = await attempt(user.email, 'a wrong password').catch((error: unknown) => error);
    expect(kit.work.verified).toBe(before + 1);
    const ofNobody = await attempt('nobody@shop.example', 'a wrong password').catch(
      (error: unknown) => error,
    );
    expect(kit.work.verified).toBe(before + 2);
    expect(ofPerson).toEqual(wrong);
    expect(ofNobody).toEqual(ofPerson);
    expect(kit.work.hashed).toBe(0);
  });
});

describe('guesses', () => {
  it('of a thousand from one address all but a few are not even compared', async () => {
    const user = await kit.addUser();
    const from = freshClient();
    const before = kit.work.verified;
    const refusals: unknown[] = [];
    for (let guess = 0; guess < 1000; guess += 1) {
      await attempt(user.email, `guess ${guess}`, from).catch((error: unknown) => refusals.push(error));
      kit.clock.move(100);
    }
    expect(refusals).toHaveLength(1000);
    // In 100 seconds: five at once, then pauses of 1, 2, 4, 8, 16 and 32 seconds.
    expect(kit.work.verified - before).toBeLessThanOrEqual(11);
    expect(refusals.at(-1)).toEqual(throttled);
    await expect(attempt(user.email, goodPassword, from)).rejects.toEqual(throttled);
  });

  it('at once are counted one by one', async () => {
    const user = await kit.addUser();
    const from = freshClient();
    const before = kit.work.verified;
    const all = await Promise.allSettled(
      Array.from({ length: 60 }, (_none, guess) => attempt(user.email, `guess ${guess}`, from)),
    );
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    expect(kit.work.verified - before).toBe(5);
  });

  it('from a thousand addresses are slowed down too, and a stranger is treated like a person', async () => {
    const user = await kit.addUser();
    for (const email of [user.email, 'somebody.else@shop.example']) {
      const before = kit.work.verified;
      const codes = new Set<unknown>();
      for (let guess = 0; guess < 1000; guess += 1) {
        const from = { ...client, ip: `2001:${email.length}:${guess.toString(16)}::1` };
        await attempt(email, `guess ${guess}`, from).catch((error: { code?: unknown }) =>
          codes.add(error.code),
        );
      }
      expect(kit.work.verified - before).toBe(20);
      expect(codes).toEqual(new Set(['invalid_credentials', 'too_many_attempts']));
      kit.clock.move(hour);
    }
  });

  it('from many addresses of one IPv6 network count as from one', async () => {
    const user = await kit.addUser();
    const before = kit.work.verified;
    for (let guess = 1; guess <= 60; guess += 1) {
      const ip = `2001:db8:77:1:${guess.toString(16)}::${guess.toString(16)}`;
      await attempt(user.email, `guess ${guess}`, { ...client, ip }).catch(() => {});
    }
    expect(kit.work.verified - before).toBe(5);
  });

  it('for many persons from one address are slowed down too', async () => {
    const from = freshClient();
    const before = kit.work.verified;
    for (let guess = 0; guess < 200; guess += 1) {
      await attempt(`somebody${guess}@shop.example`, 'password', from).catch(() => {});
    }
    expect(kit.work.verified - before).toBe(50);
    kit.clock.move(hour);
  });

  it('end with a clear time to wait, after which the right password works and all is forgotten', async () => {
    const user = await kit.addUser();
    const from = freshClient();
    for (let guess = 0; guess < 8; guess += 1) {
      await attempt(user.email, 'a wrong password', from).catch(() => {});
      kit.clock.move(guess < 5 ? 0 : 2000);
    }
    const refusal = await attempt(user.email, goodPassword, from).catch(
      (error: { retryAfterSeconds: number; message: string }) => error,
    );
    expect(refusal).toEqual(throttled);
    const { retryAfterSeconds: seconds, message } = refusal as { retryAfterSeconds: number; message: string };
    expect(seconds).toBeGreaterThan(0);
    expect(message).toContain(`${seconds} seconds`);
    kit.clock.move(seconds * 1000);
    await attempt(user.email, goodPassword, from);
    for (let guess = 0; guess < 4; guess += 1) {
      await expect(attempt(user.email, 'a wrong password', from)).rejects.toEqual(wrong);
    }
    await attempt(user.email, goodPassword, from);
  });
});

describe('a session', () => {
  it('ends after 12 hours without use, and not before', async () => {
    const user = await kit.addUser();
    const { token } = await attempt(user.email, goodPassword);
    kit.clock.move(12 * hour - 1);
    expect(await findSession(kit.people, token)).toBeDefined();
    kit.clock.move(12 * hour - 1);
    expect(await findSession(kit.people, token)).toBeDefined();
    kit.clock.move(12 * hour);
    expect(await findSession(kit.people, token)).toBeUndefined();
  });

  it('ends 14 days after the login however much it is used', async () => {
    const user = await kit.addUser();
    const { token } = await attempt(user.email, goodPassword);
    for (let hours = 11; hours < 14 * 24; hours += 11) {
      kit.clock.move(11 * hour);
      expect(await findSession(kit.people, token)).toBeDefined();
    }
    kit.clock.move(11 * hour);
    expect(await findSession(kit.people, token)).toBeUndefined();
  });

  it('can be confirmed by the password alone', async () => {
    const user = await kit.addUser();
    const { session, token } = await attempt(user.email, goodPassword);
    kit.clock.move(hour);
    const bad = confirmSession(kit.people, session, { password: 'a wrong password' }, freshClient());
    await expect(bad).rejects.toEqual(wrong);
    expect((await findSession(kit.people, token))?.confirmedAt).toEqual(session.confirmedAt);
    const confirmed = await confirmSession(kit.people, session, { password: goodPassword }, freshClient());
    expect(confirmed.confirmedAt).toEqual(kit.clock.now());
    expect(await findSession(kit.people, token)).toEqual(confirmed);
  });

  it('is listed with the others of the person only, and ends with them', async () => {
    const [user, other] = [await kit.addUser(), await kit.addUser()];
    const kept = await attempt(user.email, goodPassword);
    await attempt(user.email, goodPassword);
    const foreign = await attempt(other.email, goodPassword);
    expect(await listSessions(kit.people, user.id)).toHaveLength(2);
    expect(await endOtherSessions(kit.db, user.id, kept.session.id)).toBe(1);
    expect(await listSessions(kit.people, user.id)).toMatchObject([{ id: kept.session.id }]);
    expect(await findSession(kit.people, foreign.token)).toBeDefined();
  });
});

describe('a new password', () => {
  it('ends every session but this one, which goes on under a new id', async () => {
    const account = await kit.openAccount();
    const user = await kit.addUser({ [account]: 'admin' });
    const [here, elsewhere] = [
      await attempt(user.email, goodPassword),
      await attempt(user.email, goodPassword),
    ];
    const options = { currentPassword: goodPassword, newPassword: 'another long password' };
    const after = await changePassword(kit.people, here.session, options, freshClient());
    expect(after.session.id).not.toBe(here.session.id);
    expect(await findSession(kit.people, after.token)).toBeDefined();
    for (const { token } of [here, elsewhere]) {
      expect(await findSession(kit.people, token)).toBeUndefined();
    }
    await expect(attempt(user.email, goodPassword)).rejects.toEqual(wrong);
    await attempt(user.email, options.newPassword);
    const entries = await kit.audit(account);
    expect(entries.filter(({ action }) => action === 'password.changed')).toEqual([
      expect.objectContaining({ object_id: user.id, after: { sessions_ended: 1 } }),
    ]);
    for (const secret of [goodPassword, options.newPassword, 'argon2id']) {
      expect(JSON.stringify(entries)).not.toContain(secret);
    }
  });

  it('goes on with the age of the session, and does not count as a confirmation: no code was asked', async () => {
    const user = await kit.addUser();
    const { session } = await attempt(user.email, goodPassword);
    kit.clock.move(hour);
    const options = { currentPassword: goodPassword, newPassword: 'another long password' };
    const after = await changePassword(kit.people, session, options, freshClient());
    const { createdAt, confirmedAt } = session;
    expect(after.session).toMatchObject({ createdAt, confirmedAt });
    expect(await findSession(kit.people, after.token)).toEqual(after.session);
  });

  it('refuses a sign-in that is under way with the former one', async () => {
    const user = await kit.addUser();
    const { session } = await attempt(user.email, goodPassword);
    const options = { currentPassword: goodPassword, newPassword: 'another long password' };
    const passwords = new Passwords({
      hash: kit.work.hash,
      async verify(hashed, password) {
        const same = await kit.work.verify(hashed, password);
        await changePassword(kit.people, session, options, freshClient());
        return same;
      },
    });
    const late = signIn(
      { ...kit.people, passwords },
      { email: user.email, password: goodPassword },
      freshClient(),
      null,
    );
    await expect(late).rejects.toEqual(wrong);
    expect(await listSessions(kit.people, user.id)).toHaveLength(1);
  });

  it('needs the present one, and length', async () => {
    const user = await kit.addUser();
    const { session } = await attempt(user.email, goodPassword);
    const change = (currentPassword: string, newPassword: string) =>
      changePassword(kit.people, session, { currentPassword, newPassword }, freshClient());
    await expect(change('a wrong password', 'another long password')).rejects.toEqual(wrong);
    await expect(change(goodPassword, 'short')).rejects.toMatchObject({ code: 'weak_password' });
    await attempt(user.email, goodPassword);
  });

  it('of two that are chosen concurrently is one, and the other is refused', async () => {
    const user = await kit.addUser();
    const sessions = [await attempt(user.email, goodPassword), await attempt(user.email, goodPassword)];
    const all = await Promise.allSettled(
      sessions.map(({ session }, n) =>
        changePassword(
          kit.people,
          session,
          { currentPassword: goodPassword, newPassword: `another long password ${n}` },
          freshClient(),
        ),
      ),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listSessions(kit.people, user.id)).toHaveLength(1);
  });
});
