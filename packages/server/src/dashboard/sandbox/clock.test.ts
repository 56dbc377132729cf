import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Lines } from '../../lib/waiting/lines.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import type { SandboxToolDependencies } from './dependencies.ts';
import { sandboxDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
beforeAll(async () => {
  kit = await createDashboardKit();
});
afterAll(() => kit.drop());

it('a move of the clock stands in the audit log, also where what became due by it fails', async () => {
  const { db, clock } = kit;
  const helpers = {
    accounts: { db, clock, randomBytes },
    clockMoves: new Lines(),
    onClockMoved: async () => {
      throw new Error('what became due fails');
    },
  };
  sandboxDashboardRoutes(kit.api, { db, clock, helpers } as unknown as SandboxToolDependencies);
  const account = await kit.openAccount();
  const { call } = await kit.signIn(account, 'developer');
  expect((await call('POST', `/accounts/${account}/sandbox/clock`, { body: { seconds: 60 } })).status).toBe(
    500,
  );
  const [row] = await db.query<{ clock_offset_ms: number }>({
    text: 'select clock_offset_ms from accounts where account_id = $1',
    values: [account],
    scope: { accountId: account },
  });
  expect(row?.clock_offset_ms).toBe(60_000);
  expect(await kit.audit(account)).toMatchObject([
    { action: 'sandbox.clock_advanced', after: { now: '2026-11-20T12:01:00Z' } },
  ]);
});
