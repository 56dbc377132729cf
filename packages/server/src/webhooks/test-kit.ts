import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventType } from '@till/contract';
import { createAccount } from '../accounts/accounts.ts';
import { eventColumns, eventInput, insertEvents } from '../events/events.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { cte, int, keyColumns, rowsOfJson } from '../store/columns.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase } from '../store/migrations/test-migrated.ts';
import { findTenant } from '../vault/test-database.ts';
import type { SecretVault, WebhookDependencies } from './dependencies.ts';

/** Creates a database for one test file, with the whole schema in it. */
export async function createTestDatabase(): Promise<{ db: Database; drop: () => Promise<void> }> {
  const { url, drop } = await createMigratedDatabase('webhooks_test');
  const db = openDatabase({
    url,
    connections: 8,
    // Many queries wait for a connection at once, on a machine that may be slow.
    acquireMs: 60_000,
    applicationName: 'till test',
    onError: () => {},
  });
  return {
    db,
    async drop() {
      await db.close();
      await drop();
    },
  };
}

export async function openAccount(db: Database): Promise<string> {
  const request = { name: 'Shop', processor: 'processor_a', environment: 'sandbox' } as const;
  return (await createAccount({ db, clock: systemClock, randomBytes }, request)).account_id;
}

/** Durations are real; the test moves the date. */
export class TestClock implements Clock {
  #ms = Date.parse('2026-11-20T12:00:00Z');
  readonly elapsed = systemClock.elapsed;
  readonly delay = systemClock.delay;
  readonly now = (): Date => new Date(this.#ms);

  move(ms: number): void {
    this.#ms += ms;
  }
}

const key = randomBytes(32);

/** Uses AES-256-GCM with the place bound in, as the real vault does. */
export const testVault: SecretVault = {
  async seal(_accountId, place, text) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return { sealed, keyVersion: 1 };
  },
  async open(_accountId, place, sealed) {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(-16));
    return decipher.update(sealed.subarray(12, -16)).toString() + decipher.final('utf8');
  },
};

export function testDeps(db: Database, clock: Clock = systemClock): WebhookDependencies {
  return { db, vault: testVault, clock, randomBytes, wake: () => {} };
}

const inputColumns = { n: int, ...keyColumns, ...eventColumns } as const;

const writeSql = `with input as (select * from ${rowsOfJson(inputColumns)}),
  ${insertEvents(cte('input', inputColumns))}
  select 1`;

/** Writes events of new objects in one statement, as the commits of payments do. @returns the ids of the events */
export async function writeEvents(
  db: Database,
  clock: Clock,
  accountId: string,
  options: { count?: number; type?: EventType; livemode?: boolean; object?: object } = {},
): Promise<string[]> {
  const { count = 1, type = 'payment.succeeded', livemode = false, object = {} } = options;
  const now = clock.now();
  const { tenant } = await findTenant(db, accountId, livemode);
  const input = Array.from({ length: count }, (_none, n) => {
    const id = newId('pay', now, randomBytes);
    const written = {
      id: newId('evt', now, randomBytes),
      type,
      sequence: 1,
      created: now,
      object: JSON.stringify({ id, object: 'payment', amount: 4990, ...object }),
    };
    return { n, tenant, id, ...eventInput(written) };
  });
  await db.query({ text: writeSql, values: [JSON.stringify(input)], scope: 'everybody' });
  return input.map((row) => row.event_id ?? '');
}

/** One request that a receiver got. */
export interface Received {
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A merchant's receiver on this machine. It answers 200 unless the test sets another answer. */
export class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  answer: (request: Received, response: http.ServerResponse) => void = (_request, response) => response.end();
  readonly #server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { url: request.url ?? '', headers: request.headers, body };
      this.received.push(one);
      this.answer(one, response);
    });
  });

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.on('connection', () => {
      receiver.connections += 1;
    });
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Polls until the condition holds. @throws if it does not hold within 50 seconds */
export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = systemClock.elapsed() + 50_000;
  while (!(await condition())) {
    if (systemClock.elapsed() > deadline) throw new Error(`never came true: ${what}`);
    await pause(10);
  }
}
