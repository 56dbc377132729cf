import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, createPeopleKit, type PeopleKit } from './test-kit.ts';
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
