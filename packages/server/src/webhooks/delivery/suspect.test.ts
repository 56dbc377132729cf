import { beforeEach, describe, expect, it } from 'vitest';
import { nextIteration } from '../../lib/clock.ts';
import { pauseEndpoint, rollSecret } from '../endpoints/endpoints.ts';
import { signatureHeaders } from '../endpoints/sign.ts';
import { until } from '../test-kit.ts';
import { type Shop, second, useSender } from '../test-sender.ts';
import { type ClaimedDelivery, DeliveryStore } from './delivery-store.ts';
import { Suspects } from './suspects.ts';

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

const suspectOf = (account: string, id: string) => ({ account_id: account, id }) as ClaimedDelivery;

/** Tries that last until the test ends them. */
function handRun() {
  const begun: string[] = [];
  let end = () => {};
  const stopping = new AbortController();
  const suspects = new Suspects((delivery) => {
    begun.push(delivery.id);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  }, stopping.signal);
  const endOne = async () => {
    end();
    await nextIteration();
  };
  return { suspects, begun, endOne, stopping };
}

describe('deliveries whose earlier attempt never ended', () => {
  it('are tried one after another, of each account in turn', async () => {
    const { suspects, begun, endOne } = handRun();
    for (const id of ['a1', 'a2', 'a3']) suspects.add(suspectOf('a', id));
    suspects.add(suspectOf('b', 'b1'));
    expect(begun).toEqual(['a1']);
    for (let n = 0; n < 4; n += 1) await endOne();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await suspects.ended();
  });

  it('are tried once however often they are claimed meanwhile, and of one account 64 at most', async () => {
    const { suspects, begun, endOne, stopping } = handRun();
    for (let n = 0; n < 100; n += 1) suspects.add(suspectOf('a', `a${n % 2}`));
    for (let n = 2; n < 100; n += 1) suspects.add(suspectOf('a', `a${n}`));
    suspects.add(suspectOf('b', 'b'));
    for (let n = 0; n < 70; n += 1) await endOne();
    expect(begun).toHaveLength(new Set(begun).size);
    // One was begun before the others came.
    expect(begun.filter((id) => id !== 'b')).toHaveLength(65);
    stopping.abort();
    await suspects.ended();
  });
});
