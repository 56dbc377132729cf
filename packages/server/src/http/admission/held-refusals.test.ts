import { expect, it } from 'vitest';
import { HeldRefusals } from './held-refusals.ts';

it('2,000 refusals wait for 0.4 s, further ones are answered at once', async () => {
  const delays: number[] = [];
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const held = new HeldRefusals((ms) => {
    delays.push(ms);
    return passed;
  });
  const waiting = Array.from({ length: 2_000 }, () => held.hold());
  expect(new Set(delays)).toEqual(new Set([400]));
  expect(waiting).not.toContain(undefined);
  expect(held.hold()).toBeUndefined();
  pass();
  await Promise.all(waiting.filter((one) => one !== undefined));
  expect(held.hold()).toBeDefined();
});
