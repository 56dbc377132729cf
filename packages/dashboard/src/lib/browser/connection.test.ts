import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteReached, outage, watchedFetch } from './connection.ts';

/** The responses to requests, by URL: an HTTP status, or null if the server cannot be reached. */
let answers: Readonly<Record<string, Promise<number | null>>>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async (url: string) => {
    const status = await answers[url];
    if (status == null) throw new TypeError('Failed to fetch');
    return new Response('{}', { status, headers: { 'content-type': 'application/json' } });
  });
});
afterEach(() => {
  noteReached();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const unanswered = Promise.resolve(null);

it('a request without an answer is an outage, which the next answer ends', async () => {
  answers = { '/lost': unanswered, '/served': Promise.resolve(200) };
  await expect(watchedFetch('/lost')).rejects.toThrow(TypeError);
  expect(outage.get()).not.toBeNull();
  await watchedFetch('/served');
  expect(outage.get()).toBeNull();
});

it.each([
  ['no outage where the server still answers', 200, false],
  ['an outage where the server does not answer any more', null, true],
])('a request that fails after another one was answered is %s', async (_rule, health, isLost) => {
  let lose = () => {};
  const late = new Promise<null>((resolve) => {
    lose = () => resolve(null);
  });
  answers = { '/late': late, '/served': Promise.resolve(200), '/healthz': Promise.resolve(health) };
  const failing = expect(watchedFetch('/late')).rejects.toThrow(TypeError);
  await watchedFetch('/served');
  lose();
  await failing;
  await vi.waitFor(() => expect(outage.get() !== null).toBe(isLost));
  expect(outage.get() !== null).toBe(isLost);
});
