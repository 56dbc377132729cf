import { expect, it } from 'vitest';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import { LogoQueue } from './logo-queue.ts';
import type { Picture } from './picture.ts';

const uploader = (accountId: string) => ({ accountId, suspend: suspendNothing });
const picture: Picture = { contentType: 'image/png', bytes: Buffer.alloc(0), width: 1, height: 1 };

it('logos are read one at a time, the accounts in rotation', async () => {
  const order: string[] = [];
  let running = 0;
  const queue = new LogoQueue(async (file) => {
    running += 1;
    order.push(`${Buffer.from(file).toString()}${running}`);
    await Promise.resolve();
    running -= 1;
    return picture;
  });
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => queue.read(uploader('one'), Buffer.from(name))),
    queue.read(uploader('other'), Buffer.from('d')),
  ]);
  expect(order.toSorted()).toEqual(['a1', 'b1', 'c1', 'd1']);
  expect(order.indexOf('d1')).toBe(1);
});

it('an account has four logos in the queue at most, and one that cannot be read makes room', async () => {
  let fail = () => {};
  const held = new Promise<Picture>((_resolve, reject) => {
    fail = () => reject(new Error('damaged'));
  });
  const results = [held];
  const queue = new LogoQueue(async () => results.pop() ?? picture);
  const upload = () => queue.read(uploader('one'), Buffer.alloc(0));
  const four = Array.from({ length: 4 }, upload);
  await expect(upload()).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  fail();
  expect((await Promise.allSettled(four)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await upload()).toBe(picture);
});
