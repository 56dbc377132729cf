import { expect, it } from 'vitest';
import { bodiesDelay, HeldRefusals, overloadDelay } from './held-refusals.ts';

it('2,000 refusals wait for 0.4 s, further ones are answered at once', async () => {
  const delays: number[] = [];
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const held = new HeldRefusals((ms) => {
    delays.push(ms);
    return passed;
  }, overloadDelay);
  const waiting = Array.from({ length: 2_000 }, () => held.hold());
  expect(new Set(delays)).toEqual(new Set([400]));
  expect(waiting).not.toContain(undefined);
  expect(held.hold()).toBeUndefined();
  pass();
  await Promise.all(waiting.filter((one) => one !== undefined));
  expect(held.hold()).toBeDefined();
});

it('refusals of clients with too many bodies to come are spread over two seconds, of any twenty in a row too', () => {
  const delays: number[] = [];
  const held = new HeldRefusals(async (ms) => void delays.push(ms), bodiesDelay);
  for (let count = 0; count < 100; count += 1) void held.hold();
  for (let first = 0; first <= 80; first += 1) {
    const sorted = delays.slice(first, first + 20).toSorted((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThanOrEqual(1_000);
    expect(sorted.at(-1)).toBeLessThan(3_000);
    const gaps = sorted.slice(1).map((ms, n) => ms - (sorted[n] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(250);
  }
});
