import { expect, it } from 'vitest';
import { never } from '../../jobs/test-kit.ts';
import { nextIteration, systemClock } from '../../lib/clock.ts';
import { stopServer } from './stop.ts';

/** Every delay is over as soon as nothing else is to be done. */
const clock = { ...systemClock, delay: nextIteration };

async function stop(what: { drain?: () => Promise<void>; endJobs?: () => Promise<void> }) {
  const steps: string[] = [];
  const step =
    (name: string, work = async () => {}) =>
    () => {
      steps.push(name);
      return work();
    };
  const inTime = await stopServer({
    clock,
    log: { info: () => {}, error: (text) => void steps.push(text) },
    drainMs: 25_000,
    drain: step('drain', what.drain),
    endJobs: step('end jobs', what.endJobs),
    close: step('close'),
  });
  return { inTime, steps };
}

it('requests are answered, then jobs end, then the database is closed', async () => {
  expect(await stop({})).toEqual({ inTime: true, steps: ['drain', 'end jobs', 'close'] });
});

it('requests that do not end keep neither the jobs from ending nor the database from being closed', async () => {
  const { inTime, steps } = await stop({ drain: never });
  expect(inTime).toBe(false);
  expect(steps).toEqual(['drain', expect.stringContaining('requests were'), 'end jobs', 'close']);
});

it('jobs that do not end do not keep the database from being closed', async () => {
  const { inTime, steps } = await stop({ endJobs: never });
  expect(inTime).toBe(false);
  expect(steps).toEqual(['drain', 'end jobs', expect.stringContaining('jobs were'), 'close']);
});
