import { expect, it } from 'vitest';
import { never } from '../../jobs/test-kit.ts';
import { nextIteration, systemClock } from '../../lib/clock.ts';
import { watchCells } from './watch-cells.ts';

/** A clock on which the test ends each delay. */
function handClock() {
  const delays = new Map<number, () => void>();
  const delay = (ms: number) => new Promise<void>((end) => delays.set(ms, end));
  const end = async (ms: number) => {
    delays.get(ms)?.();
    delays.delete(ms);
    await nextIteration();
  };
  return { clock: { ...systemClock, delay }, end };
}

it('the directory is looked at every 250 ms also while a cell that is away is being opened', async () => {
  const { clock, end } = handClock();
  const counts = { looks: 0, opened: 0 };
  watchCells({
    clock,
    isDivided: () => true,
    async look() {
      counts.looks += 1;
    },
    async open() {
      counts.opened += 1;
      await never();
    },
    onError: () => {},
  });
  await end(2_000);
  for (let n = 0; n < 8; n += 1) await end(250);
  expect(counts).toEqual({ looks: 8, opened: 1 });
});

it('a look or an opening that fails is reported, and does not end the next', async () => {
  const { clock, end } = handClock();
  const errors: unknown[] = [];
  const fails = (what: string) => async () => Promise.reject(new Error(what));
  watchCells({
    clock,
    isDivided: () => true,
    look: fails('look'),
    open: async () => {},
    onError: (error) => errors.push((error as Error).message),
  });
  await end(250);
  await end(250);
  expect(errors).toEqual(['look', 'look']);
});
