import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { changePassword, confirmSession, signIn } from './sign-in.ts';
import { beginAttempt } from './throttle.ts';
import { activateTotp, beginTotp } from './totp.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

it('refuses nobody because another one at the same address came a moment later and was counted first', async () => {
  const { db, clock } = kit.people;
  const now = clock.now();
  const at = (ms: number) => ({ db, clock: { ...clock, now: () => new Date(now.getTime() + ms) } });
  const later = await beginAttempt(at(5), 'one@shop.example', client.ip);
  const earlier = await beginAttempt(at(0), 'other@shop.example', client.ip);
  expect([later.pauseSeconds, earlier.pauseSeconds]).toEqual([0, 0]);
  await later.succeeded();
  await (await beginAttempt(at(1), 'third@shop.example', client.ip)).undone();
  await expect(beginAttempt(at(0), 'fourth@shop.example', client.ip)).resolves.toMatchObject({ failures: 1 });
});

it('lets an office in whose people mistype once a day, however long that goes on', async () => {
  const { db, clock } = kit.people;
  const start = clock.now().getTime();
  const attempt = (hour: number, email: string) =>
    beginAttempt(
      { db, clock: { ...clock, now: () => new Date(start + hour * 3_600_000) } },
      email,
      '192.0.2.7',
    );
  for (let day = 0; day < 70; day += 1) {
    await attempt(day * 20, `typist${day}@shop.example`);
    await (await attempt(day * 20, 'colleague@shop.example')).succeeded();
  }
});

it('keeps nobody waiting for most of the time because of guesses from one /48 of IPv6', async () => {
  const { db, clock } = kit.people;
  const email = 'owner@shop.example';
  const start = clock.now().getTime();
  let person: Buffer | undefined;
  let paused = 0;
  const steps = 6 * 60;
  for (let minute = 0; minute < steps; minute += 1) {
    const now = new Date(start + minute * 60_000);
    const ip = `2001:db8:7:${minute.toString(16)}::1`;
    // A refused attempt is not counted. Each admitted one is a wrong password.
    const attempt = await beginAttempt({ db, clock: { ...clock, now: () => now } }, email, ip).catch(
      () => undefined,
    );
    person = attempt?.person ?? person;
    const [row] = await db.query<{ blocked_until: Date }>({
      text: 'select blocked_until from sign_in_throttles where name = $1',
      values: [person],
      scope: 'everybody',
    });
    if ((row?.blocked_until ?? now) > now) paused += 1;
  }
  expect(paused).toBeLessThan(steps / 10);
});

it('strangers at many addresses lock nobody out of where they signed in before', async () => {
  const account = await kit.openAccount();
  const user = await kit.addUser({ [account]: 'owner' });
  const start = kit.clock.now().getTime();
  const tryAt = (second: number, password: string, ip: string) => {
    const clock = { ...kit.people.clock, now: () => new Date(start + second * 1000) };
    const deps = { ...kit.people, clock };
    return signIn(deps, { email: user.email, password }, { ip, userAgent: null }, null).then(
      () => 'in',
      (error: { code: string }) => error.code,
    );
  };
  const [office, elsewhere] = ['203.0.113.7', '203.0.114.7'];
  expect(await tryAt(0, goodPassword, office)).toBe('in');
  const answers = new Set<string>();
  for (let second = 1; second < 600; second += 1) {
    await tryAt(second, 'a wrong password', `198.${second % 20}.100.7`);
    if (second % 60 === 59) answers.add(await tryAt(second, goodPassword, office));
  }
  expect(answers).toEqual(new Set(['in']));
  expect(await tryAt(600, goodPassword, elsewhere)).toBe('too_many_attempts');
  const guesses = [];
  for (let n = 0; n < 8; n += 1) guesses.push(await tryAt(601, 'a wrong password', office));
  expect(guesses.slice(5)).toEqual(Array.from({ length: 3 }, () => 'too_many_attempts'));
});

it('a refused change of the password gives no further guesses of the code', async () => {
  const account = await kit.openAccount();
  const user = await kit.addUser({ [account]: 'owner' });
  const { session } = await signIn(kit.people, { email: user.email, password: goodPassword }, client, null);
  const { secret } = await beginTotp(kit.people, user);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await activateTotp(kit.people, user.id, totp.generate({ timestamp: kit.clock.now().getTime() }));
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  const answers: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    const from = { ip: `198.51.100.${n >> 3}`, userAgent: null };
    const guess = { password: goodPassword, code: String(n).padStart(6, '0') };
    answers.push(await codeOf(confirmSession(kit.people, session, guess, from)));
    const change = { currentPassword: goodPassword, newPassword: 'x' };
    if (n % 4 === 3) await codeOf(changePassword(kit.people, session, change, from));
  }
  expect(answers.filter((code) => code === 'invalid_code').length).toBeLessThan(30);
});
