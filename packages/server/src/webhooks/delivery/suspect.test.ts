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

/** Makes the first attempt of a delivery never end, as after a crash. */
beforeEach(async () => {
  one = await at().shop();
  await at().write(one);
  const now = at().clock.now();
  const leaseUntil = new Date(now.getTime() + 30 * second);
  const shares = { perEndpoint: 1, endpointLimits: {}, perAccount: 1, accountLimits: {} };
  const limits = { now, leaseUntil, troubled: false, max: 1, slow: [], ...shares };
  expect(await new DeliveryStore(at().deps.db).claimHinted(limits, [one.accountId])).toHaveLength(1);
  at().clock.move(31 * second);
});

/** Sends with a worker that pauses between the claim and the attempt while `change` happens. */
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

const suspectOf = (account: string, id: string, crashes = 1) =>
  ({ account_id: account, id, crashes }) as ClaimedDelivery;

/** Attempts that last until the test ends them. */
function handRun() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const stopping = new AbortController();
  const suspects = new Suspects(({ id }) => {
    begun.push(id);
    return new Promise<void>((resolve) => ends.set(id, resolve));
  }, stopping.signal);
  /** Ends attempts and lets the next ones begin. */
  const end = async (...ids: string[]) => {
    for (const id of ids) ends.get(id)?.();
    await nextIteration();
  };
  return { suspects, begun, end, stopping };
}

describe('deliveries whose earlier attempt never ended', () => {
  it('are tried one after another of each account: a receiver that hangs holds up its own only', async () => {
    const { suspects, begun, end } = handRun();
    for (const id of ['a1', 'a2', 'a3']) suspects.add(suspectOf('a', id));
    suspects.add(suspectOf('b', 'b1'));
    await nextIteration();
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    suspects.add(suspectOf('b', 'b2'));
    await nextIteration();
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
    await end('b2', 'a2');
    await end('a3');
    await suspects.ended();
  });

  it('are tried of 16 accounts at once', async () => {
    const { suspects, begun, end } = handRun();
    const ids = Array.from({ length: 20 }, (_, n) => `d${n}`);
    for (const id of ids) suspects.add(suspectOf(`of ${id}`, id));
    await nextIteration();
    expect(begun).toEqual(ids.slice(0, 16));
    await end('d7');
    expect(begun).toHaveLength(17);
    await end(...ids);
    await end(...ids);
    await suspects.ended();
    expect(begun).toEqual(ids);
  });

  it('are tried alone once a second attempt did not end', async () => {
    const { suspects, begun, end } = handRun();
    suspects.add(suspectOf('a', 'a1'));
    suspects.add(suspectOf('b', 'b1', 2));
    suspects.add(suspectOf('c', 'c1'));
    await nextIteration();
    expect(begun).toEqual(['a1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    await suspects.ended();
  });

  it('are tried once however often they are claimed meanwhile, and of one account 64 at most', async () => {
    const { suspects, begun, end, stopping } = handRun();
    for (let n = 0; n < 100; n += 1) suspects.add(suspectOf('a', `a${n % 2}`));
    for (let n = 2; n < 100; n += 1) suspects.add(suspectOf('a', `a${n}`));
    suspects.add(suspectOf('b', 'b'));
    for (let n = 0; n < 70; n += 1) await end(...begun);
    expect(begun).toHaveLength(new Set(begun).size);
    // One was begun before the others were added.
    expect(begun.filter((id) => id !== 'b')).toHaveLength(65);
    stopping.abort();
    await suspects.ended();
  });
});

describe('the record of an attempt', () => {
  it('that the database did not keep is tried again: nothing is sent twice', async () => {
    const shop = await at().shop();
    await at().write(shop, 5);
    const { db } = at().deps;
    let failures = 0;
    const suspects: unknown[] = [];
    at().start({
      onIncident: () => {},
      db: {
        ...db,
        async query<Row>(statement: Parameters<typeof db.query>[0]) {
          if (statement.name === 'begin_suspect_delivery') suspects.push(statement.values?.[0]);
          if (statement.name === 'finish_deliveries' && failures < 3) {
            failures += 1;
            throw new Error('Connection terminated unexpectedly');
          }
          return db.query<Row>(statement);
        },
      },
    });
    await at().delivered(shop, 5);
    expect(failures).toBe(3);
    expect(suspects).not.toContain(shop.accountId);
    expect(at().receiver.received.length).toBe(5 + suspects.length);
  });
});
