import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenConstraint, type Database, type Queryable } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';
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

describe('a payment that has an outcome', () => {
  type Written = readonly [sequence: number, type: string];
  let seq = 0;

  async function insert(queryable: Queryable, tenant: TenantId, [sequence, type]: Written) {
    seq += 1;
    await queryable.query({
      text: `insert into events (tenant, id, seq, type, object_id, sequence, object, created_at)
             values ($1, $2, $3, $4, 'pay_1', $5, '{}', now())`,
      values: [tenant, `evt_${seq}`, seq, type, sequence],
      scope: { tenant },
    });
  }

  /** Writes events of one payment. @returns the constraint that refused the last of them */
  async function write(...events: readonly Written[]) {
    const { tenant } = await findTenant(db, await openAccount(db), false);
    for (const event of events.slice(0, -1)) await insert(db, tenant, event);
    return insert(db, tenant, events.at(-1) ?? [0, '']).then(() => null, brokenConstraint);
  }

  it.each([
    ['its first event', 1, 2],
    ['a later event', 2, 3],
  ])('gets no second event of it: by %s', async (_name, first, second) => {
    const refused = await write([first, 'payment.succeeded'], [second, 'payment.succeeded']);
    expect(refused).toBe('events_one_per_outcome');
  });

  it('gets no second event of it by a transaction that waits for the first to be committed', async () => {
    const { tenant } = await findTenant(db, await openAccount(db), false);
    let waiting: Promise<unknown> = Promise.resolve();
    await db.transaction(async (first) => {
      await insert(first, tenant, [1, 'payment.succeeded']);
      waiting = db
        .transaction((second) => insert(second, tenant, [1, 'payment.succeeded']))
        .then(() => null, brokenConstraint);
    });
    expect(await waiting).toBe('events_tenant_object_id_sequence_key');
  });

  it('gets no second event of it by a transaction that began before the first was committed', async () => {
    const { tenant } = await findTenant(db, await openAccount(db), false);
    const second = db.transaction(async (later) => {
      await later.query({ text: 'select count(*) from events', scope: { tenant } });
      await db.transaction((first) => insert(first, tenant, [1, 'payment.succeeded']));
      await insert(later, tenant, [2, 'payment.succeeded']);
    });
    expect(await second.then(() => null, brokenConstraint)).toBe('events_one_per_outcome');
  });

  it('gets events of other types', async () => {
    expect(
      await write([1, 'payment.requires_action'], [2, 'payment.authorized'], [3, 'payment.succeeded']),
    ).toBeNull();
    expect(await write([1, 'payment.failed'], [2, 'payment.succeeded'])).toBeNull();
  });
});
