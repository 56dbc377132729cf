import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import type { CleanUp } from './clean-up.ts';
import { migratedDatabase, queryDatabase } from './fresh-database.ts';
import { Merchant } from './merchant.ts';
import { type CellUrls, rowsIn } from './rows-in.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from './server.ts';
import { until } from './until.ts';

/** A server with two cells, for tests of accounts that move from one to the other. */
export interface TwoCells {
  readonly urls: CellUrls;
  readonly settings: Readonly<Record<string, string>>;
  readonly server: RunningServer;
  /** Runs `till … --json` in the server's environment. */
  till<T = Record<string, unknown>>(...words: string[]): Promise<T>;
}

type Cell = keyof CellUrls;

/**
 * Starts the server and waits until it serves both cells.
 * @param more additional settings
 */
export async function openTwoCells(
  cleanUp: CleanUp,
  more: Readonly<Record<string, string>> = {},
): Promise<TwoCells> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const urls = { home: await migratedDatabase(cleanUp), east: await migratedDatabase(cleanUp) };
  const own = { DATABASE_URL: urls.home, TILL_DATA_DIR: folder.path, TILL_RATE_LIMIT_RPS: '0' };
  const settings = { ...own, ...more };
  const server = await startServer(settings);
  cleanUp.add(() => server.stop('SIGKILL'));
  const till = <T = Record<string, unknown>>(...words: string[]) => commandJson<T>(settings, words);
  await till('cells', 'add', 'east', '--url', urls.east);
  const first = await Merchant.openAt(server, 'processor_b', '--cell', 'east');
  await until('the cell is served', async () => (await first.get('/api/v1/payments')).status === 200);
  return { urls, settings, server, till };
}

/** Pause between two payments of a shop that only needs to keep running. */
const pauseMs = 300;
/** Servers poll every second. The rest of the time is for machines that are busy with other tests. */
export const timeoutMs = 60_000;

const card = {
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: 'Jane Smith',
};

const bodyOfLoad = {
  amount: 5000,
  currency: 'EUR',
  payment_method: card,
  capture_method: 'manual',
  success_url: 'https://shop.example/ok',
  failure_url: 'https://shop.example/no',
};

/**
 * Simulates a merchant's server that charges, captures and refunds until it is stopped. After each 5xx it
 * retries with the same key.
 */
export function load(shop: Merchant, cleanUp: CleanUp, clients: number, refunds: boolean) {
  let stopped = false;
  let maxMs = 0;
  const made: { readonly key: string; readonly id: string; readonly text: string }[] = [];
  const refused: string[] = [];
  const insist = async (path: string, body: object, key: string) => {
    for (;;) {
      const began = performance.now();
      const reply = await shop.post(path, body, { idempotencyKey: key });
      maxMs = Math.max(maxMs, performance.now() - began);
      if (reply.status < 500) return reply;
      if (reply.headers.get('retry-after') === null) refused.push(`${reply.status} without Retry-After`);
      await systemClock.delay(20);
    }
  };
  const client = async () => {
    while (!stopped) {
      const key = randomUUID();
      const paid = await insist('/api/v1/payments', bodyOfLoad, key);
      if (paid.status !== 201) {
        refused.push(`${paid.status} ${paid.text}`);
        continue;
      }
      made.push({ key, id: paid.body.id, text: paid.text });
      const captured = await insist(`/api/v1/payments/${paid.body.id}/capture`, {}, randomUUID());
      if (captured.status >= 400) refused.push(captured.text);
      if (!refunds) {
        await systemClock.delay(pauseMs);
        continue;
      }
      const refund = await insist(`/api/v1/payments/${paid.body.id}/refunds`, { amount: 1000 }, randomUUID());
      if (refund.status >= 400) refused.push(refund.text);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  cleanUp.add(async () => {
    stopped = true;
    await running.catch(() => {});
  });
  return {
    made,
    refused,
    async stop() {
      stopped = true;
      await running;
      return maxMs;
    },
  };
}

/**
 * Checks that every acknowledged payment exists exactly once in the account's cell, and that nothing is left
 * in its former cell.
 */
export async function expectNothingLost(
  cells: TwoCells,
  shop: Merchant,
  made: ReturnType<typeof load>['made'],
  cell: Cell,
  other: Cell,
) {
  const url = cells.urls[cell];
  const own = 'tenant in (select tenant from tenants where account_id = $1)';
  // A notification that was being processed is retried after its lease has expired.
  await until(
    'nothing is open',
    async () => {
      const open = await queryDatabase(url, `select 1 from operations where ${own}`, [shop.id]);
      return open.length === 0;
    },
    60_000,
  );
  const there = await queryDatabase<{ id: string }>(url, `select id from payments where ${own}`, [shop.id]);
  const ids = new Set(there.map(({ id }) => id));
  expect(made.filter(({ id }) => !ids.has(id))).toEqual([]);
  const { charges } = await shop.ledger();
  const references = charges.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  expect(references.toSorted()).toEqual([...ids].toSorted());
  const [reconciled] = [
    await cells.till<{ differences: unknown[]; compared: number }>('reconcile', '--account', shop.id),
  ];
  expect(reconciled).toMatchObject({ differences: [] });
  // A repeated key receives the stored response.
  for (const { key, text } of made.slice(-3)) {
    const again = await shop.post('/api/v1/payments', bodyOfLoad, { idempotencyKey: key });
    expect([again.status, again.text]).toEqual([201, text]);
  }
  const left = await rowsIn(cells, other, shop.id);
  expect(left).toEqual({});
}
