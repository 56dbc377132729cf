import { afterAll, beforeAll, expect, it } from 'vitest';
import { multiply } from '../../jobs/test-kit.ts';
import type { Database } from '../../store/database.ts';
import { TestClock } from '../../vault/test-database.ts';
import { createTestDatabase, openAccount, testDeps } from '../test-kit.ts';
import { createEndpoint } from './endpoints.ts';
import { notifyOwners } from './notices.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

it('owners of one account are notified although a thousand of another cannot be, and those again after five minutes', async () => {
  const [broken = '', other = ''] = [await openAccount(db), await openAccount(db)].toSorted();
  const clock = new TestClock();
  clock.move(365 * 86_400_000);
  for (const account of [broken, other]) {
    await createEndpoint(testDeps(db), account, { url: 'https://shop.example', additionalEvents: false });
  }
  await multiply(db, { table: 'webhook_endpoints', accountId: broken, copies: 999 });
  await db.query({
    text: `update webhook_endpoints set status = 'paused', paused_reason = 'failing', notice_due = 'paused'`,
    scope: 'everybody',
  });
  const notified: string[] = [];
  const failed: string[] = [];
  const notify = () =>
    notifyOwners({
      db,
      clock,
      async queueMail({ account_id: accountId }) {
        if (accountId === broken) throw new Error('no mail can be written');
        notified.push(accountId);
      },
      onIncident: (_error, accountId) => failed.push(accountId),
    });
  await notify();
  expect(notified).toEqual([other]);
  expect(failed).toHaveLength(1000);
  expect(await notify()).toBe(0);
  clock.move(5 * 60_000);
  expect(await notify()).toBe(1000);
  expect(notified).toEqual([other]);
});
