import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../store/database.ts';
import { attemptDelivery } from '../../webhooks/delivery/attempt.ts';
import { DeliveryStore } from '../../webhooks/delivery/delivery-store.ts';
import type { Exchange } from '../../webhooks/delivery/transport.ts';
import { testVault, writeEvents } from '../../webhooks/test-kit.ts';
import { createDashboardKit } from '../test-kit.ts';
import { developersDashboardRoutes } from './routes.ts';

const minuteMs = 60_000;

/** The error of a statement that the database cancels because it runs for too long. */
function statementTimeout(): Error {
  const error = new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
  error.code = '57014';
  return error;
}

/** The dashboard's API with the operations for developers, and receivers that give the test's answer. */
export async function createDevelopersKit() {
  const kit = await createDashboardKit();
  const { db, clock } = kit;
  const woken: string[] = [];
  let cancelled: RegExp | null = null;
  const reads: Database = {
    ...db,
    inUse: () => db.inUse(),
    session: () => db.session(),
    transaction: (work) => db.transaction(work),
    close: () => db.close(),
    async query(statement) {
      if (cancelled?.test(statement.text)) throw statementTimeout();
      return db.query(statement);
    },
  };
  const deps = {
    db,
    reads,
    clock,
    randomBytes,
    vault: testVault,
    wake: (accountId: string) => void woken.push(accountId),
  };
  developersDashboardRoutes(kit.api, deps);
  const store = new DeliveryStore(db);

  /** Makes one attempt at every due delivery. @param schedule the gaps until the following attempts */
  async function attempt(accountId: string, exchange: Exchange, schedule: readonly number[] = []) {
    const now = clock.now();
    const limits = {
      now,
      leaseUntil: new Date(now.getTime() + minuteMs),
      max: 1000,
      perEndpoint: 1000,
      endpointLimits: {},
      perAccount: 1000,
      accountLimits: {},
      slow: [],
    };
    const transport = { send: async () => exchange };
    for (const troubled of [false, true]) {
      const due = await store.claimHinted({ ...limits, troubled }, [accountId]);
      for (const delivery of due) {
        await store.finish(
          await attemptDelivery({ vault: testVault, transport, clock, randomBytes, schedule }, delivery),
        );
      }
    }
  }

  return {
    ...kit,
    woken,
    attempt,
    /** Cancels later reads of the dashboard whose text matches. */
    cancelReads(text: RegExp | null) {
      cancelled = text;
    },
    writeEvents: (accountId: string, options: Parameters<typeof writeEvents>[3] = {}) =>
      writeEvents(db, clock, accountId, options),
  };
}

export type DevelopersKit = Awaited<ReturnType<typeof createDevelopersKit>>;

export const answering = (status: number, body = ''): Exchange => ({
  answer: { status, headers: { 'content-type': 'text/plain' }, body },
});
