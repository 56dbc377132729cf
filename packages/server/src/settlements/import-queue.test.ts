import { expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import { ImportQueue } from './import-queue.ts';

const importer = (accountId: string) => ({ accountId, suspend: suspendNothing });

it('imports run one at a time, the accounts in rotation', async () => {
  const queue = new ImportQueue(systemClock);
  const order: string[] = [];
  let running = 0;
  const work = (name: string) => async () => {
    running += 1;
    order.push(`${name}${running}`);
    await Promise.resolve();
    running -= 1;
    return name;
  };
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => queue.run(importer('one'), work(name))),
    queue.run(importer('other'), work('d')),
  ]);
  expect(order.toSorted()).toEqual(['a1', 'b1', 'c1', 'd1']);
  expect(order.indexOf('d1')).toBe(1);
});

it('an account has four imports at most, and one that fails makes room', async () => {
  const queue = new ImportQueue(systemClock);
  let fail = () => {};
  const held = new Promise<string>((_resolve, reject) => {
    fail = () => reject(new Error('failed'));
  });
  const four = [held, ...Array.from({ length: 3 }, async () => 'imported')].map((work) =>
    queue.run(importer('one'), () => work),
  );
  await expect(queue.run(importer('one'), async () => 'a fifth')).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 5,
  });
  fail();
  expect((await Promise.allSettled(four)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await queue.run(importer('one'), async () => 'again')).toBe('again');
});

it('an import that another process is in the way of holds up no other account, and is tried again', async () => {
  const delays: (() => void)[] = [];
  const queue = new ImportQueue({ delay: () => new Promise((resolve) => delays.push(resolve)) });
  let isInTheWay = true;
  const waiting = queue.run(importer('one'), async () => (isInTheWay ? undefined : 'imported'));
  expect(await queue.run(importer('other'), async () => 'at once')).toBe('at once');
  isInTheWay = false;
  delays[0]?.();
  expect(await waiting).toBe('imported');
});

it('503 service_unavailable where another process imports for a minute', async () => {
  const delays: number[] = [];
  const queue = new ImportQueue({ delay: async (ms) => void delays.push(ms) });
  await expect(queue.run(importer('one'), async () => undefined)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  expect(delays).toHaveLength(59);
});
