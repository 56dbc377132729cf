import { beforeEach, describe, expect, it } from 'vitest';
import { pauseEndpoint, rollSecret } from '../endpoints/endpoints.ts';
import { signatureHeaders } from '../endpoints/sign.ts';
import { until } from '../test-kit.ts';
import { type Shop, second, useSender } from '../test-sender.ts';
import { DeliveryStore } from './delivery-store.ts';

const at = useSender();
let one: Shop;

/** A delivery whose first attempt never ended, as after a crash. */
beforeEach(async () => {
  one = await at().shop();
  await at().write(one);
  const now = at().clock.now();
  const leaseUntil = new Date(now.getTime() + 30 * second);
  const shares = { perEndpoint: 1, rooms: {}, perAccount: 1, accountRooms: {} };
  const limits = { now, leaseUntil, troubled: false, most: 1, slow: [], ...shares };
  expect(await new DeliveryStore(at().deps.db).claimHinted(limits, [one.accountId])).toHaveLength(1);
  at().clock.move(31 * second);
});

/** Sends with a worker that is held up between the claim and the attempt, while `change` happens. */
async function sendWhile(change: () => Promise<unknown>): Promise<void> {
  let changed: Promise<unknown> | undefined;
  const { db } = at().deps;
  at().start({
    db: {
      ...db,
      async query<Row>(statement: Parameters<typeof db.query>[0]) {
        if (statement.name === 'begin_suspect_delivery') {
          changed ??= change();
          await changed;
        }
        return db.query<Row>(statement);
      },
    },
  });
  await until('it is about to be tried', () => changed !== undefined);
  await changed;
}

describe('an attempt that waits for its turn after a crash', () => {
  it('carries the secret that is in force when it begins', async () => {
    let secret = '';
    await sendWhile(async () => {
      ({ secret } = await rollSecret(at().deps, one.accountId, one.endpointId));
    });
    await at().delivered(one, 1);
    const [received] = at().receiver.received;
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = received?.headers ?? {};
    const message = { id: String(id), timestamp: Number(timestamp), body: received?.body ?? '' };
    expect(received?.headers).toMatchObject(signatureHeaders(secret, message));
  });

  it('does not begin at an endpoint that was paused meanwhile', async () => {
    await sendWhile(() => pauseEndpoint(at().deps, one.accountId, one.endpointId));
    const other = await at().shop();
    await at().write(other);
    await at().delivered(other, 1);
    expect(await at().countOf(one, 'pending')).toBe(1);
  });
});
