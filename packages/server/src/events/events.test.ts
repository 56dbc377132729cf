import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { findTenant } from '../vault/test-database.ts';
import { createTestDatabase, openAccount, TestClock, writeEvents } from '../webhooks/test-kit.ts';
import { eventsAfter, listEvents, locateEvent, retrieveEvent } from './events.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

it.each([false, true])('an event is one text wherever it is read: livemode %s', async (livemode) => {
  const clock = new TestClock();
  clock.move(999);
  const accountId = await openAccount(db);
  const [id = ''] = await writeEvents(db, clock, accountId, { livemode, object: { note: 'a "b" \\ é' } });
  const found = await findTenant(db, accountId, livemode);
  const tenant = { ...found, accountId, livemode };
  const text = await retrieveEvent(db, tenant, id);
  const object = text.slice(text.indexOf('{"id":"pay_'), -2);
  expect(text).toBe(
    `{"id":"${id}","object":"event","type":"payment.succeeded","created":1795176000,"livemode":${livemode},"sequence":1,"data":{"object":${object}}}`,
  );
  expect(JSON.parse(object)).toMatchObject({ object: 'payment', note: 'a "b" \\ é' });
  const logged = await eventsAfter(db, tenant, 0, 10);
  expect(logged.map(({ body }) => body)).toEqual([text]);
  expect((await locateEvent(db, id))?.body).toBe(text);
  for (const filters of [{}, { type: 'payment.succeeded' }] as const) {
    expect(await listEvents(db, tenant, { page: 1, per_page: 10, ...filters })).toContain(text);
  }
});
