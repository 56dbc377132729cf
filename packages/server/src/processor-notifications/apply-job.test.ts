import { describe, expect, it } from 'vitest';
import { createApplyJob } from './apply-job.ts';

/** Work that runs until the test ends it, with a count of its runs. */
function gatedWork() {
  const ends: { resolve: (count: number) => void; reject: (error: Error) => void }[] = [];
  let atOnce = 0;
  let max = 0;
  return {
    ends,
    max: () => max,
    work: async () => {
      atOnce += 1;
      max = Math.max(max, atOnce);
      try {
        return await new Promise<number>((resolve, reject) => {
          ends.push({ resolve, reject });
        });
      } finally {
        atOnce -= 1;
      }
    },
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the job that applies notifications', () => {
  it('runs once at a time; calls during a run share the next run', async () => {
    const { work, ends, max } = gatedWork();
    const job = createApplyJob(work, () => {});
    const first = job.run();
    const during = [job.run(), job.run()];
    expect(ends).toHaveLength(1);
    ends[0]?.resolve(3);
    expect(await first).toBe(3);
    await settled();
    expect(ends).toHaveLength(2);
    ends[1]?.resolve(7);
    expect(await Promise.all(during)).toEqual([7, 7]);
    expect(max()).toBe(1);
  });

  it('runs again after a run that failed', async () => {
    const { work, ends } = gatedWork();
    const job = createApplyJob(work, () => {});
    const first = job.run();
    const second = job.run();
    ends[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    ends[1]?.resolve(1);
    expect(await second).toBe(1);
  });

  it('is woken once by any number of calls during a run, and reports errors', async () => {
    const { work, ends } = gatedWork();
    const errors: unknown[] = [];
    const job = createApplyJob(work, (error) => errors.push(error));
    for (let count = 0; count < 10; count += 1) job.wake();
    ends[0]?.reject(new Error('away'));
    await settled();
    ends[1]?.resolve(0);
    await settled();
    expect(ends).toHaveLength(2);
    expect(errors).toEqual([new Error('away')]);
  });

  it('stops after the running run, and is not woken again', async () => {
    const { work, ends } = gatedWork();
    const job = createApplyJob(work, () => {});
    job.wake();
    let stopped = false;
    const stopping = (async () => {
      await job.stop();
      stopped = true;
    })();
    await settled();
    expect(stopped).toBe(false);
    ends[0]?.resolve(1);
    await stopping;
    job.wake();
    expect(ends).toHaveLength(1);
  });
});
