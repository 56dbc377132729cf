import { expect, it } from 'vitest';
import { Deadlines } from './deadlines.ts';

/** A fake clock. `next` advances it to the end of the next delay; `timers` holds the pending delays. */
function testClock() {
  let nowMs = 0;
  const timers: { readonly dueMs: number; readonly resolve: () => void }[] = [];
  const delay = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = { dueMs: nowMs + ms, resolve };
      timers.push(timer);
      signal.addEventListener('abort', () => {
        timers.splice(timers.indexOf(timer), 1);
        resolve();
      });
    });
  const next = async () => {
    const timer = timers.shift();
    if (timer === undefined) throw new Error('nothing waits');
    nowMs = timer.dueMs;
    timer.resolve();
    await Promise.resolve();
    return nowMs;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { clock: { delay, elapsed: () => nowMs }, next, pass, timers };
}

it('calls back for each that is not over in time, once, and for no other', async () => {
  const { clock, next, pass, timers } = testClock();
  const late: string[] = [];
  const deadlines = new Deadlines<string>(clock, 100, (item) => late.push(item));
  deadlines.add('first');
  pass(30);
  deadlines.add('in time');
  pass(20);
  deadlines.add('third');
  deadlines.delete('in time');
  expect(timers).toHaveLength(1);
  expect(await next()).toBe(100);
  expect(late).toEqual(['first']);
  expect(await next()).toBe(150);
  expect(late).toEqual(['first', 'third']);
  expect(timers).toHaveLength(0);
});

it('has one timer for a thousand that come and go, and none once nothing waits', async () => {
  const { clock, next, timers } = testClock();
  const deadlines = new Deadlines<number>(clock, 100, () => expect.unreachable());
  for (let n = 0; n < 1_000; n += 1) {
    deadlines.add(n);
    deadlines.delete(n);
  }
  expect(timers).toHaveLength(1);
  await next();
  expect(timers).toHaveLength(0);
  deadlines.add(1);
  expect(timers).toHaveLength(1);
});

it('has no timer once it is closed, and calls back for nothing', async () => {
  const { clock, timers } = testClock();
  const deadlines = new Deadlines<string>(clock, 100, () => expect.unreachable());
  deadlines.add('first');
  deadlines.close();
  await Promise.resolve();
  deadlines.add('second');
  expect(timers).toHaveLength(0);
});
