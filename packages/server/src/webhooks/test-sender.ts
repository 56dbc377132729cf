import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { findTenant } from '../vault/test-database.ts';
import { type DeliverDependencies, DeliveryWorker } from './delivery/deliver.ts';
import { type DeliveryRow, listDeliveries } from './delivery/reads.ts';
import { type WebhookTransport, webhookTransport } from './delivery/transport.ts';
import type { WebhookDependencies } from './dependencies.ts';
import { createEndpoint } from './endpoints/endpoints.ts';
import { addressPolicy } from './endpoints/target-address.ts';
import {
  createTestDatabase,
  openAccount,
  Receiver,
  TestClock,
  testDeps,
  testVault,
  until,
  writeEvents,
} from './test-kit.ts';

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
export const schedule = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];

export interface Shop extends Tenant {
  readonly endpointId: string;
  readonly secret: string;
}

/** What every test of sending needs: a receiver, a clock, and workers that stop when the test ends. */
export class Sender {
  readonly parked: string[] = [];
  readonly #incidents: string[] = [];
  #stops: (() => Promise<void>)[] = [];
  readonly deps: WebhookDependencies;
  readonly clock = new TestClock();
  readonly transport: WebhookTransport;
  readonly receiver: Receiver;

  constructor(db: Database, receiver: Receiver) {
    this.receiver = receiver;
    this.deps = testDeps(db, this.clock);
    this.transport = webhookTransport({
      policy: addressPolicy({ allowed: [], loopback: true }),
      resolve: async () => [],
      clock: this.clock,
    });
  }

  get workerParts(): DeliverDependencies {
    return {
      db: this.deps.db,
      vault: testVault,
      transport: this.transport,
      clock: this.clock,
      randomBytes,
      schedule,
      sweepMs: 20,
      onAttempt: () => {},
      onParked: (delivery) => this.parked.push(delivery.id),
      onIncident: (message, error) => this.#incidents.push(`${message}: ${String(error)}`),
    };
  }

  start(changes: Partial<DeliverDependencies> = {}): DeliveryWorker {
    const worker = new DeliveryWorker({ ...this.workerParts, ...changes });
    this.#stops.push(worker.start());
    return worker;
  }

  async shop(): Promise<Shop> {
    const accountId = await openAccount(this.deps.db);
    const request = { url: this.receiver.url, additionalEvents: false };
    const { endpoint, secret } = await createEndpoint(this.deps, accountId, request);
    return { ...(await findTenant(this.deps.db, accountId)), endpointId: endpoint.id, secret };
  }

  write(to: Shop, count = 1): Promise<string[]> {
    return writeEvents(this.deps.db, this.clock, to.accountId, { count });
  }

  deliveries(of: Shop): Promise<DeliveryRow[]> {
    return listDeliveries(this.deps.db, of.accountId, of.endpointId, { limit: 10_000 });
  }

  async count(of: Shop, condition: string, values: unknown[] = []): Promise<number> {
    const [row] = await this.deps.db.query<{ count: number }>({
      text: `select count(*) as count from deliveries where account_id = $1 and ${condition}`,
      values: [of.accountId, ...values],
      scope: of,
    });
    return row?.count ?? 0;
  }

  countOf(of: Shop, state: DeliveryRow['state']): Promise<number> {
    return this.count(of, 'state = $2', [state]);
  }

  /** Waits until this many deliveries have succeeded. */
  delivered(of: Shop, count = 1): Promise<void> {
    return until(`${count} delivered`, async () => (await this.countOf(of, 'succeeded')) === count);
  }

  /** Waits until every delivery has had its attempts up to now. */
  async settled(of: Shop): Promise<void> {
    const due = `state = 'pending' and (next_attempt_at <= $2 or lease_until > $2)`;
    await until('settled', async () => (await this.count(of, due, [this.clock.now()])) === 0);
  }

  receivedIds(): string[] {
    return this.receiver.received.map(({ headers }) => String(headers['webhook-id']));
  }

  refuse(status = 500): void {
    this.receiver.answer = (_request, response) => response.writeHead(status).end('broken');
  }

  accept(): void {
    this.receiver.answer = (_request, response) => response.end();
  }

  async end(): Promise<void> {
    await Promise.all(this.#stops.splice(0).map((stop) => stop()));
    await this.transport.close();
    await this.receiver.close();
    // Otherwise the next test would send the deliveries that this test left behind.
    await this.deps.db.query({
      text: `update deliveries set state = 'failed' where state = 'pending'`,
      scope: 'everybody',
    });
    expect(this.#incidents).toEqual([]);
  }
}

/** Gives each test of a file its own sender, on one database. */
export function useSender(): () => Sender {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let sender: Sender;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    sender = new Sender(database.db, await Receiver.open());
  });
  afterEach(() => sender.end());
  return () => sender;
}
