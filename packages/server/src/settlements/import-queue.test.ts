import { expect, it } from 'vitest';
import { holdsNoPlace } from '../lib/waiting/suspend.ts';
import { ImportQueue } from './import-queue.ts';

const importer = (accountId: string) => ({ accountId, suspend: holdsNoPlace });

it('imports run one at a time, the accounts in rotation', async () => {
  const queue = new ImportQueue();
  const order: string[] = [];
  let running = 0;
  const work = (name: string) => async () => {
    running += 1;
    order.push(`${name}${running}`);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => queue.run(importer('one'), work(name))),
    queue.run(importer('other'), work('d')),
  ]);
  expect(order.toSorted()).toEqual(['a1', 'b1', 'c1', 'd1']);
  expect(order.indexOf('d1')).toBe(1);
});

it('an account has four imports at most, and one that fails makes room', async () => {
  const queue = new ImportQueue();
  let fail = () => {};
  const held = new Promise<void>((_resolve, reject) => {
    fail = () => reject(new Error('failed'));
  });
  const four = [held, ...Array.from({ length: 3 }, () => Promise.resolve())].map((work) =>
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
