import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import { notificationQueue } from './apply-notifications.ts';
import { Inbox } from './inbox.ts';
import { receiveNotification } from './receive-notification.ts';
import {
  about,
  createApplier,
  createTestDatabase,
  delivery,
  idsOf,
  leaseMs,
  openAccount,
  start,
  stored,
  until,
} from './test-kit.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
});
afterAll(() => database.drop());

/** A process that receives and applies notifications, with a count of its queries for due notifications. */
function createServer() {
  const applier = createApplier(db);
  const look = vi.spyOn(applier.deps.store, 'takeNew');
  const inbox: Inbox = new Inbox(applier.deps.lease, (tenant) => queue.onFilled(tenant));
  const deps = { ...applier.deps, inbox, reserve: inbox.reserve.bind(inbox) };
  const queue = notificationQueue(deps);
  const receive = (account: string, ids: readonly string[]) =>
    receiveNotification(deps, 'processor_a', account, delivery(account, false, ids.map(about)));
  return { ...applier, queue, inbox, deps, receive, looks: () => look.mock.calls.length };
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `payment_${number}`);

describe('a notification that this process has kept', () => {
  it('is applied without being looked for, with its first try counted', async () => {
    const account = await openAccount(db, 'processor_a');
    const server = createServer();
    await server.receive(account, ['one', 'two']);
    await until('both are applied', async () => server.seen.length === 2);
    await server.queue.stop();
    expect(idsOf(server.seen).toSorted()).toEqual(['one', 'two']);
    expect(await stored(db, account)).toMatchObject([
      { state: 'applied', tries: 1 },
      { state: 'applied', tries: 1 },
    ]);
    expect([server.looks(), server.woken()]).toEqual([0, 0]);
  });

  it('is applied once when it comes again', async () => {
    const account = await openAccount(db, 'processor_a');
    const server = createServer();
    await Promise.all([server.receive(account, ['one']), server.receive(account, ['one'])]);
    await server.receive(account, ['one']);
    await until('it is applied', async () => server.seen.length > 0);
    await server.queue.stop();
    expect(idsOf(server.seen)).toEqual(['one']);
    expect(server.counted.toSorted()).toEqual([
      'processor_a accepted',
      'processor_a duplicate',
      'processor_a duplicate',
    ]);
  });

  it('is tried again like any other where it could not be applied', async () => {
    const account = await openAccount(db, 'processor_a');
    const server = createServer();
    const failing = createApplier(db, async () => 'later');
    const inbox: Inbox = new Inbox(failing.deps.lease, (tenant) => queue.onFilled(tenant));
    const queue = notificationQueue({ ...failing.deps, inbox });
    const deps = { ...failing.deps, reserve: inbox.reserve.bind(inbox) };
    await receiveNotification(deps, 'processor_a', account, delivery(account, false, [about('one')]));
    await until('it is tried', async () => failing.seen.length === 1);
    await queue.stop();
    expect(await stored(db, account)).toMatchObject([{ state: 'received', tries: 1 }]);
    server.moveTo(1000);
    await server.queue.run();
    expect(idsOf(server.seen)).toEqual(['one']);
    expect(await stored(db, account)).toMatchObject([{ state: 'applied', tries: 2 }]);
  });

  it('is left to other processes once its lease has ended', async () => {
    const account = await openAccount(db, 'processor_a');
    const server = createServer();
    // As if the process had paused between storing and applying.
    await server.queue.stop();
    await server.receive(account, ['one']);
    expect(server.inbox.take(tenantIn(account, false), new Date(start.getTime() + leaseMs))).toEqual([]);
    expect(await stored(db, account)).toMatchObject([{ state: 'received', tries: 1 }]);
    const other = createApplier(db);
    expect(await other.run()).toBe(0);
    other.moveTo(leaseMs);
    expect(await other.run()).toBe(1);
  });

  it('waits in the database where the memory of its tenant is full', async () => {
    const account = await openAccount(db, 'processor_a');
    const other = await openAccount(db, 'processor_a');
    const server = createServer();
    await server.queue.stop();
    await server.receive(account, numbered(60));
    const rows = await stored(db, account);
    expect(rows.filter(({ tries }) => tries === 1)).toHaveLength(50);
    expect(rows.filter(({ tries }) => tries === 0)).toHaveLength(10);
    expect(server.woken()).toBe(1);
    await server.receive(other, ['one']);
    expect(await stored(db, other)).toMatchObject([{ tries: 1 }]);
  });

  it('takes room until it is applied, a repeat none', async () => {
    const account = await openAccount(db, 'processor_a');
    const tenant = tenantIn(account, false);
    const server = createServer();
    await server.queue.stop();
    await server.receive(account, numbered(50));
    expect(server.inbox.reserve(tenant)).toBeUndefined();
    expect(server.inbox.take(tenant, start)).toHaveLength(50);
    await server.receive(account, numbered(50));
    const reservations = numbered(50).map(() => server.inbox.reserve(tenant));
    expect(reservations).not.toContain(undefined);
    expect(server.inbox.reserve(tenant)).toBeUndefined();
    for (const reservation of reservations) reservation?.cancel();
    expect(server.inbox.reserve(tenant)).toBeDefined();
  });
});
