import { randomBytes } from 'node:crypto';
import { attemptDelivery } from '../../webhooks/delivery/attempt.ts';
import { DeliveryStore } from '../../webhooks/delivery/delivery-store.ts';
import type { Exchange } from '../../webhooks/delivery/transport.ts';
import { testVault, writeEvents } from '../../webhooks/test-kit.ts';
import { createDashboardKit } from '../test-kit.ts';
import { developersDashboardRoutes } from './routes.ts';

const minuteMs = 60_000;

/** The dashboard's API with the operations for developers, and receivers that give the test's answer. */
export async function createDevelopersKit() {
  const kit = await createDashboardKit();
  const { db, clock } = kit;
  const woken: string[] = [];
  const deps = {
    db,
    reads: db,
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
    writeEvents: (accountId: string, options: Parameters<typeof writeEvents>[3] = {}) =>
      writeEvents(db, clock, accountId, options),
  };
}

export type DevelopersKit = Awaited<ReturnType<typeof createDevelopersKit>>;

export const answering = (status: number, body = ''): Exchange => ({
  answer: { status, headers: { 'content-type': 'text/plain' }, body },
});
