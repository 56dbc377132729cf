import { expect, it } from 'vitest';
import { never } from '../../jobs/test-kit.ts';
import { nextIteration, systemClock } from '../../lib/clock.ts';
import { stopServer } from './stop.ts';

/** A clock on which every delay ends after one iteration of the event loop. */
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
    config: { unreadySeconds: 0, drainSeconds: 25 },
    server: { beginStop: () => void steps.push('not ready'), drain: step('drain', what.drain) },
    jobs: [step('end jobs', what.endJobs)],
    endRest: step('end the rest'),
    close: step('close'),
  });
  return { inTime, steps };
}

it('requests are answered, then jobs end, then the database is closed', async () => {
  expect(await stop({})).toEqual({
    inTime: true,
    steps: ['not ready', 'drain', 'end jobs', 'end the rest', 'close'],
  });
});

it('requests that do not end keep neither the jobs from ending nor the database from being closed', async () => {
  const { inTime, steps } = await stop({ drain: never });
  expect(inTime).toBe(false);
  expect(steps).toEqual([
    'not ready',
    'drain',
    expect.stringContaining('requests were'),
    'end jobs',
    'end the rest',
    'close',
  ]);
});

it('jobs that do not end do not keep the database from being closed', async () => {
  const { inTime, steps } = await stop({ endJobs: never });
  expect(inTime).toBe(false);
  expect(steps).toEqual(['not ready', 'drain', 'end jobs', expect.stringContaining('jobs were'), 'close']);
});

it('says that it is not ready for its time before it takes nothing new', async () => {
  const waits: number[] = [];
  const steps: string[] = [];
  const step = (name: string) => async () => void steps.push(name);
  await stopServer({
    clock: {
      ...systemClock,
      delay: async (ms) => {
        if (steps.length === 1) waits.push(ms);
        await nextIteration();
      },
    },
    log: { info: () => {}, error: () => {} },
    config: { unreadySeconds: 7, drainSeconds: 25 },
    server: { beginStop: () => void steps.push('not ready'), drain: step('drain') },
    jobs: [step('end jobs')],
    endRest: step('end the rest'),
    close: step('close'),
  });
  expect(waits).toEqual([7_000]);
  expect(steps).toEqual(['not ready', 'drain', 'end jobs', 'end the rest', 'close']);
});

it('jobs of home and of each cell end beside each other, and what they need after them', async () => {
  const steps: string[] = [];
  let cellEnds = () => {};
  const cellIsEnding = new Promise<void>((resolve) => {
    cellEnds = resolve;
  });
  const inTime = await stopServer({
    clock,
    log: { info: () => {}, error: (text) => void steps.push(text) },
    config: { unreadySeconds: 0, drainSeconds: 25 },
    server: { beginStop: () => {}, drain: async () => {} },
    jobs: [
      async () => {
        await cellIsEnding;
        steps.push('home');
      },
      async () => {
        cellEnds();
        steps.push('cell');
      },
    ],
    endRest: async () => void steps.push('rest'),
    close: async () => void steps.push('close'),
  });
  expect({ inTime, steps }).toEqual({ inTime: true, steps: ['cell', 'home', 'rest', 'close'] });
});
