import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { healthRoutes } from './health.ts';

/** Two checks. That of the database rejects with `fault`, if set, and counts its calls in `asked`; the disk's returns `full`. */
function create() {
  const state = {
    asked: 0,
    now: 0,
    fault: null as string | null,
    full: null as string | null,
    draining: false,
    errors: [] as unknown[],
  };
  const app = Fastify();
  healthRoutes(app, {
    elapsed: () => state.now,
    draining: () => state.draining,
    onError: (check, error) => state.errors.push([check, error]),
    checks: {
      database: async () => {
        state.asked += 1;
        if (state.fault !== null) throw new Error(state.fault);
        return null;
      },
      disk: async () => state.full,
    },
  });
  return { state, ready: () => app.inject('/readyz') };
}

it('fifty concurrent probes send one query', async () => {
  const { state, ready } = create();
  const answers = await Promise.all(Array.from({ length: 50 }, ready));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(state.asked).toBe(1);
});

it('503 with the problem within a quarter of a second', async () => {
  const { state, ready } = create();
  expect((await ready()).statusCode).toBe(200);
  state.full = 'only 5 MiB are free';
  state.now += 250;
  const answer = await ready();
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({
    ready: false,
    draining: false,
    checks: { database: { ok: true }, disk: { ok: false, error: 'only 5 MiB are free' } },
  });
  expect(state.errors).toEqual([]);
});

it('503 with the name of a check that threw, never with the message of its error', async () => {
  const { state, ready } = create();
  state.fault = 'password authentication failed for user "till"';
  const answer = await ready();
  expect(answer.statusCode).toBe(503);
  expect(answer.json().checks.database).toEqual({
    ok: false,
    error: "the database check failed: see the server's log",
  });
});

it('reports the error of a check once until the check passes again', async () => {
  const { state, ready } = create();
  for (const fault of ['no connection', 'no connection', null, 'no connection']) {
    state.fault = fault;
    await ready();
    state.now += 250;
  }
  const reported = ['database', new Error('no connection')];
  expect(state.errors).toEqual([reported, reported]);
});

it('503 while the server drains, whatever was checked before', async () => {
  const { state, ready } = create();
  await ready();
  state.draining = true;
  expect((await ready()).statusCode).toBe(503);
});
