import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEvents } from '../../events/events.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Database } from '../../store/database.ts';
import { endpointPlace } from '../../vault/places.ts';
import { findTenant } from '../../vault/test-database.ts';
import { endpointHealth, findDelivery, listDeliveries, listDeliveriesOfEvent } from '../delivery/reads.ts';
import { retryDelivery, retryFailedSince } from '../delivery/retry.ts';
import type { WebhookDependencies } from '../dependencies.ts';
import { createTestDatabase, openAccount, TestClock, testDeps, testVault, writeEvents } from '../test-kit.ts';
import { endDeliveriesOfDeleted } from './end-deliveries.ts';
import {
  accountOfEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  pauseEndpoint,
  requireEndpoint,
  resumeEndpoint,
  rollSecret,
  sendTestEvent,
  updateEndpoint,
} from './endpoints.ts';

let db: Database;
let deps: WebhookDependencies;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
  deps = testDeps(db);
});
afterAll(() => drop());

const url = 'https://shop.example/hooks';
const add = (accountId: string, additionalEvents = false) =>
  createEndpoint(deps, accountId, { url, additionalEvents });
const write = (
  accountId: string,
  options: Parameters<typeof writeEvents>[3] = {},
  clock: Clock = systemClock,
) => writeEvents(db, clock, accountId, options);
const deliveriesOf = (accountId: string, endpointId: string) =>
  listDeliveries(db, accountId, endpointId, { limit: 100 });

async function openSecret(accountId: string, id: string): Promise<string> {
  const [row] = await db.query<{ secret: Buffer; key_version: number }>({
    text: 'select secret, key_version from webhook_endpoints where account_id = $1 and id = $2',
    values: [accountId, id],
    scope: { accountId },
  });
  if (row === undefined) throw new Error('no endpoint');
  return testVault.open(accountId, endpointPlace(accountId, id), row.secret, row.key_version);
}

describe('an endpoint', () => {
  it('is created with a secret that is stored sealed', async () => {
    const account = await openAccount(db);
    const { endpoint, secret } = await add(account);
    expect(endpoint).toMatchObject({ url, status: 'active', additional_events: false, paused_reason: null });
    expect(endpoint.id).toMatch(/^we_[a-z0-9]{24}$/);
    expect(await openSecret(account, endpoint.id)).toBe(secret);
    const [row] = await db.query<{ text: string }>({
      text: 'select webhook_endpoints::text as text from webhook_endpoints',
      scope: 'everybody',
    });
    expect(row?.text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(await listEndpoints(deps, account)).toEqual([endpoint]);
    expect(await accountOfEndpoint(deps, endpoint.id)).toBe(account);
  });

  it('is refused with an address that is none', async () => {
    const account = await openAccount(db);
    const request = { url: 'ftp://shop.example/', additionalEvents: false };
    await expect(createEndpoint(deps, account, request)).rejects.toMatchObject({ code: 'invalid_url' });
    expect(await listEndpoints(deps, account)).toEqual([]);
  });

  it('is one of 16 at most, also of many that are added at once; a deleted one makes room', async () => {
    const account = await openAccount(db);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => add(account)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(4);
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'too_many_endpoints', message: expect.stringContaining('16') });
    }
    const [first] = await listEndpoints(deps, account);
    await deleteEndpoint(deps, account, first?.id ?? '');
    await add(account);
    await expect(add(account)).rejects.toMatchObject({ code: 'too_many_endpoints' });
    expect(await listEndpoints(deps, account)).toHaveLength(16);
  });

  it('changes address, additional events and secret, each alone', async () => {
    const account = await openAccount(db);
    const { endpoint, secret } = await add(account);
    const changed = await updateEndpoint(deps, account, endpoint.id, { additionalEvents: true });
    expect(changed).toEqual({ ...endpoint, additional_events: true });
    const moved = await updateEndpoint(deps, account, endpoint.id, { url: 'https://new.example/' });
    expect(moved).toEqual({ ...endpoint, additional_events: true, url: 'https://new.example/' });
    await expect(updateEndpoint(deps, account, endpoint.id, { url: 'x' })).rejects.toMatchObject({
      code: 'invalid_url',
    });
    const { secret: rolled, formerUntil } = await rollSecret(deps, account, endpoint.id);
    expect(formerUntil).toBeNull();
    expect(rolled).not.toBe(secret);
    expect(await openSecret(account, endpoint.id)).toBe(rolled);
    expect(await requireEndpoint(db, account, endpoint.id)).toEqual(moved);
  });

  it('that is deleted is gone, with what waited for it, and gets nothing more', async () => {
    const account = await openAccount(db);
    const { endpoint } = await add(account);
    await write(account);
    await deleteEndpoint(deps, account, endpoint.id);
    await write(account);
    expect(await listEndpoints(deps, account)).toEqual([]);
    expect(await deliveriesOf(account, endpoint.id)).toMatchObject([{ state: 'failed' }]);
    await expect(deleteEndpoint(deps, account, endpoint.id)).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
  });

  it('of another account is not there', async () => {
    const [account, other] = [await openAccount(db), await openAccount(db)];
    const { endpoint } = await add(account);
    const [event = ''] = await write(account);
    const [delivery] = await deliveriesOf(account, endpoint.id);
    const stranger = await findTenant(db, other);
    const attempts = [
      () => requireEndpoint(db, other, endpoint.id),
      () => rollSecret(deps, other, endpoint.id),
      () => updateEndpoint(deps, other, endpoint.id, { additionalEvents: true }),
      () => deleteEndpoint(deps, other, endpoint.id),
      () => pauseEndpoint(deps, other, endpoint.id),
      () => resumeEndpoint(deps, other, endpoint.id),
      () => sendTestEvent(deps, stranger, endpoint.id),
      () => retryDelivery(deps, other, endpoint.id, delivery?.id ?? ''),
      () => retryFailedSince(deps, other, endpoint.id, new Date(0)),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: 'endpoint_not_found' });
    }
    expect(await listEndpoints(deps, other)).toEqual([]);
    expect(await deliveriesOf(other, endpoint.id)).toEqual([]);
    expect(await listDeliveriesOfEvent(db, stranger, event)).toEqual([]);
    expect(await requireEndpoint(db, account, endpoint.id)).toEqual(endpoint);
  });
});

describe('an event', () => {
  it('goes to every endpoint of its account, in both modes, and to nobody else', async () => {
    const [account, other] = [await openAccount(db), await openAccount(db)];
    const [first, second] = [await add(account), await add(account)];
    const foreign = await add(other);
    const clock = new TestClock();
    const [test = ''] = await write(account, {}, clock);
    // Events of the same millisecond have no order.
    clock.move(1);
    const [live = ''] = await write(account, { livemode: true }, clock);
    for (const { endpoint } of [first, second]) {
      expect(await deliveriesOf(account, endpoint.id)).toMatchObject([
        { event_id: live, livemode: true, state: 'pending', attempts: 0, next_attempt_at: null },
        { event_id: test, livemode: false, state: 'pending' },
      ]);
    }
    expect(await deliveriesOf(other, foreign.endpoint.id)).toEqual([]);
    const ofEvent = await listDeliveriesOfEvent(db, await findTenant(db, account, true), live);
    expect(ofEvent.map((row) => row.endpoint_id)).toEqual([first.endpoint.id, second.endpoint.id].sort());
    for (const row of ofEvent) {
      expect(row.id).toMatch(/^dlv_[a-z0-9]{24}$/);
      expect(await findDelivery(db, row.id)).toEqual(row);
    }
  });

  it.each([
    ['payment.succeeded', true],
    ['payment.failed', true],
    ['refund.succeeded', true],
    ['refund.failed', true],
    ['payment.requires_action', false],
    ['payment.authorized', false],
    ['payment.voided', false],
    ['dispute.created', false],
    ['dispute.updated', false],
    ['dispute.closed', false],
  ] as const)('of type %s goes to a plain endpoint: %s', async (type, plainGetsIt) => {
    const account = await openAccount(db);
    const [plain, eager] = [await add(account), await add(account, true)];
    await write(account, { type });
    expect(await deliveriesOf(account, plain.endpoint.id)).toHaveLength(plainGetsIt ? 1 : 0);
    expect(await deliveriesOf(account, eager.endpoint.id)).toHaveLength(1);
  });

  it('that happens while an endpoint is paused waits for it', async () => {
    const account = await openAccount(db);
    const { endpoint } = await add(account);
    expect(await pauseEndpoint(deps, account, endpoint.id)).toMatchObject({
      status: 'paused',
      paused_reason: 'merchant',
    });
    await write(account, { count: 3 });
    expect(await deliveriesOf(account, endpoint.id)).toHaveLength(3);
    expect(await endpointHealth(db, account, endpoint.id, new Date(0))).toMatchObject({
      pending: 3,
      attempted: 0,
    });
    const woken: string[] = [];
    const resumed = await resumeEndpoint({ ...deps, wake: (id) => woken.push(id) }, account, endpoint.id);
    expect(resumed).toEqual(endpoint);
    expect(woken).toEqual([account]);
  });
});

describe('a test event', () => {
  it('is logged and goes to the one endpoint that it is about', async () => {
    const account = await openAccount(db);
    const [one, other] = [await add(account), await add(account, true)];
    const tenant = await findTenant(db, account, true);
    const ids = [
      await sendTestEvent(deps, tenant, one.endpoint.id),
      await sendTestEvent(deps, tenant, one.endpoint.id),
    ];
    const logged = JSON.parse(await listEvents(db, tenant, { type: 'endpoint.test' })) as { data: object[] };
    expect(logged.data.reverse()).toMatchObject(
      ids.map((id, index) => ({
        id,
        type: 'endpoint.test',
        livemode: true,
        sequence: index + 1,
        data: { object: { id: one.endpoint.id, object: 'webhook_endpoint', url } },
      })),
    );
    expect((await deliveriesOf(account, one.endpoint.id)).map((row) => row.event_id).sort()).toEqual(
      ids.sort(),
    );
    expect(await deliveriesOf(account, other.endpoint.id)).toEqual([]);
  });

  it('is refused for an endpoint that is paused or unknown', async () => {
    const account = await openAccount(db);
    const { endpoint } = await add(account);
    await pauseEndpoint(deps, account, endpoint.id);
    const tenant = await findTenant(db, account);
    await expect(sendTestEvent(deps, tenant, endpoint.id)).rejects.toMatchObject({
      code: 'endpoint_paused',
    });
    const unknown = newId('we', systemClock.now(), randomBytes);
    await expect(sendTestEvent(deps, tenant, unknown)).rejects.toMatchObject({ code: 'endpoint_not_found' });
  });
});

describe('the list of deliveries', () => {
  it('is paged without gaps, newest first, and can be filtered', async () => {
    const account = await openAccount(db);
    const { endpoint } = await add(account, true);
    await write(account, { count: 12 });
    await write(account, { count: 2, type: 'payment.voided', livemode: true });
    const all = await deliveriesOf(account, endpoint.id);
    expect(all).toHaveLength(14);
    const paged = [];
    for (;;) {
      const page = await listDeliveries(db, account, endpoint.id, { limit: 5, before: paged.at(-1)?.id });
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
    const count = async (filter: object) =>
      (await listDeliveries(db, account, endpoint.id, { limit: 100, ...filter })).length;
    expect(await count({ type: 'payment.voided' })).toBe(2);
    expect(await count({ livemode: false })).toBe(12);
    expect(await count({ state: 'failed' })).toBe(0);
    expect(await count({ since: new Date(systemClock.now().getTime() + 60_000) })).toBe(0);
  });
});

it('a delivery that was written while its endpoint was deleted ends with the next sweep, however late; others stay', async () => {
  const account = await openAccount(db);
  const [{ endpoint: deleted }, { endpoint: kept }] = [await add(account), await add(account)];
  await db.transaction(async (tx) => {
    const through = {
      ...db,
      query: <Row>(statement: Parameters<typeof tx.query>[0]) => tx.query<Row>(statement),
    };
    await writeEvents(through, systemClock, account);
    await deleteEndpoint(deps, account, deleted.id);
  });
  // Nothing has ended deliveries for a month.
  await endDeliveriesOfDeleted(db, new Date(systemClock.now().getTime() + 30 * 86_400_000));
  const states = async (id: string) => (await deliveriesOf(account, id)).map(({ state }) => state);
  expect(await states(deleted.id)).toEqual(['failed']);
  expect(await states(kept.id)).toEqual(['pending']);
});
