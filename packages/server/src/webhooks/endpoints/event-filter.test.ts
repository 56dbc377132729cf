import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { findTenant } from '../../vault/test-database.ts';
import { listDeliveries } from '../delivery/reads.ts';
import { createTestDatabase, openAccount, testDeps, writeEvents } from '../test-kit.ts';
import { createEndpoint, sendTestEvent, updateEndpoint } from './endpoints.ts';
import { filterableTypes, readEventFilter, typesIn } from './event-filter.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

/** Writes one event of each type. @returns the types that the endpoint gets */
async function gets(eventTypes: readonly string[] | null, additionalEvents = false): Promise<string[]> {
  const account = await openAccount(db);
  const request = { url: 'https://shop.example/hooks', additionalEvents, eventTypes };
  const { endpoint } = await createEndpoint(testDeps(db), account, request);
  for (const type of filterableTypes) await writeEvents(db, systemClock, account, { type });
  const rows = await listDeliveries(db, account, endpoint.id, { limit: 100 });
  return rows.map((row) => row.event_type).sort();
}

const four = ['payment.failed', 'payment.succeeded', 'refund.failed', 'refund.succeeded'];

describe('an endpoint', () => {
  it('without a filter gets the four types of the contract, and all where it asks for them', async () => {
    expect(await gets(null)).toEqual(four);
    expect(await gets(null, true)).toEqual([...filterableTypes].sort());
  });

  it.each([
    [['refund.failed'], ['refund.failed']],
    [
      ['refund.*', 'payment.failed'],
      ['payment.failed', 'refund.failed', 'refund.succeeded'],
    ],
    [['dispute.closed', 'dispute.closed'], ['dispute.closed']],
    [['payment.*'], filterableTypes.filter((type) => type.startsWith('payment.')).sort()],
  ])('with the filter %j gets %j, whatever it says about additional events', async (filter, expected) => {
    expect(await gets(filter)).toEqual(expected);
    expect(await gets(filter, true)).toEqual(expected);
  });

  it('gets a test event whatever its filter is, and everything again once that is gone', async () => {
    const account = await openAccount(db);
    const request = {
      url: 'https://shop.example/hooks',
      additionalEvents: false,
      eventTypes: ['refund.failed'],
    };
    const { endpoint } = await createEndpoint(testDeps(db), account, request);
    await sendTestEvent(testDeps(db), await findTenant(db, account), endpoint.id);
    const changed = await updateEndpoint(testDeps(db), account, endpoint.id, { name: 'Refunds' });
    expect(changed.event_types).toEqual(['refund.failed']);
    await updateEndpoint(testDeps(db), account, endpoint.id, { eventTypes: null });
    await writeEvents(db, systemClock, account);
    const rows = await listDeliveries(db, account, endpoint.id, { limit: 100 });
    expect(rows.map((row) => row.event_type)).toEqual(['payment.succeeded', 'endpoint.test']);
  });
});

it('a filter stands for its types and all of its groups', () => {
  expect(typesIn(['refund.*', 'payment.failed'])).toEqual([
    'payment.failed',
    'refund.succeeded',
    'refund.failed',
  ]);
  expect(() => typesIn(['payment.suceeded'])).toThrow(expect.objectContaining({ code: 'invalid_events' }));
});

it.each([[['payment.paid']], [['*']], [['endpoint.test']], [['pay.*']], [[]], [['payment.succeeded', '']]])(
  'a filter of %j is refused',
  (asked) => {
    expect(() => readEventFilter(asked)).toThrow(expect.objectContaining({ code: 'invalid_events' }));
  },
);
