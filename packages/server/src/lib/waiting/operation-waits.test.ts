import { beforeEach, expect, it } from 'vitest';
import { OperationWaits } from './operation-waits.ts';
import { type Suspend, suspendNothing } from './suspend.ts';

/** The pending delays, which last until the test ends them. The clock stands still unless the test moves it. */
let delays: { readonly ms: number; readonly end: () => void }[];
let now: number;
let waits: OperationWaits;

beforeEach(() => {
  delays = [];
  now = 0;
  waits = new OperationWaits({
    elapsed: () => now,
    delay: (ms, signal) =>
      new Promise((resolve) => {
        const end = () => {
          signal?.removeEventListener('abort', end);
          resolve();
        };
        delays.push({ ms, end });
        if (signal?.aborted === true) end();
        else signal?.addEventListener('abort', end);
      }),
  });
});

const still = async () => false;

const wait = (
  accountId: string,
  id: string,
  isOver: () => Promise<boolean> = still,
  suspend: Suspend = suspendNothing,
) => waits.wait({ accountId, id, deadline: waits.deadline(), isOver, suspend });

it('ten requests may wait for one operation; the eleventh is refused at once', async () => {
  const waiting = Array.from({ length: 10 }, () => wait('acct_1', 'pay_1'));
  expect(waits.isFull('pay_1')).toBe(true);
  expect(await wait('acct_1', 'pay_1')).toBe(false);
  expect(waits.isFull('pay_2')).toBe(false);
  waits.ended('pay_1');
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 10 }, () => true));
  expect(waits.isFull('pay_1')).toBe(false);
});

it('fifty requests of an account may wait, and those of another account beside them', async () => {
  const waiting = Array.from({ length: 50 }, (_, index) => wait('acct_1', `pay_${index}`));
  expect(await wait('acct_1', 'pay_50')).toBe(false);
  waiting.push(wait('acct_2', 'pay_51'));
  expect(delays).toHaveLength(51);
  for (let index = 0; index <= 51; index += 1) waits.ended(`pay_${index}`);
  await Promise.all(waiting);
  waiting.push(wait('acct_1', 'pay_50'));
  expect(delays).toHaveLength(52);
  waits.ended('pay_50');
  expect(await waiting.at(-1)).toBe(true);
});

it('polls after 250, 500 and then every 1000 ms, for 25 s', async () => {
  const looks: number[] = [];
  const ended = wait('acct_1', 'pay_1', async () => {
    looks.push(now);
    return false;
  });
  for (let index = 0; now < 25_000; index += 1) {
    now += delays[index]?.ms ?? 0;
    delays[index]?.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await ended).toBe(false);
  expect(looks.slice(0, 5)).toEqual([250, 750, 1_750, 2_750, 3_750]);
  expect(looks.at(-1)).toBe(25_000);
});

it('resolves once a poll finds that another process has ended the operation', async () => {
  const ended = wait('acct_1', 'pay_1', async () => true);
  delays[0]?.end();
  expect(await ended).toBe(true);
});

it('resolves where the operation ended during a poll that did not see it', async () => {
  const ended = wait('acct_1', 'pay_1', async () => {
    waits.ended('pay_1');
    return false;
  });
  delays[0]?.end();
  expect(await ended).toBe(true);
});

it('frees its place after a poll that failed', async () => {
  const failed = Array.from({ length: 10 }, () =>
    wait('acct_1', 'pay_1', () => Promise.reject(new Error('away'))),
  );
  for (const { end } of delays) end();
  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(
    Array.from({ length: 10 }, () => 'rejected'),
  );
  expect(waits.isFull('pay_1')).toBe(false);
});

it('holds no admission place while it waits, but one while it polls', async () => {
  const steps: string[] = [];
  const suspend: Suspend = async (waiting) => {
    steps.push('suspended');
    return waiting().finally(() => steps.push('back'));
  };
  const look = async () => {
    steps.push('looks');
    return true;
  };
  const ended = wait('acct_1', 'pay_1', look, suspend);
  delays[0]?.end();
  await ended;
  expect(steps).toEqual(['suspended', 'back', 'looks']);
});
