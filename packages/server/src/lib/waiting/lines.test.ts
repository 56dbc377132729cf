import { expect, it } from 'vitest';
import { Lines } from './lines.ts';

it('of one line each works after the ones before, also after one that fails; another line does not wait', async () => {
  const lines = new Lines();
  const seen: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = lines.queued('a', async () => {
    await held;
    throw new Error('failed');
  });
  const second = lines.queued('a', async () => seen.push('second'));
  const third = lines.queued('a', async () => seen.push('third'));
  await lines.queued('b', async () => seen.push('other line'));
  expect(seen).toEqual(['other line']);
  release();
  await expect(first).rejects.toThrow('failed');
  await Promise.all([second, third]);
  expect(seen).toEqual(['other line', 'second', 'third']);
});
