import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, createPeopleKit, type PeopleKit } from '../test-kit.ts';
import { beginAttempt } from './throttle.ts';

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
    // One that has to wait is not counted; what is let through is a wrong password.
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
