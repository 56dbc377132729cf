import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { healthRoutes } from './health.ts';

/** Two checks. That of the database fails with `fault`, if set, and counts its calls in `asked`. */
function create() {
  const state = { asked: 0, now: 0, fault: null as string | null, draining: false };
  const app = Fastify();
  healthRoutes(app, {
    elapsed: () => state.now,
    draining: () => state.draining,
    checks: {
      database: async () => {
        state.asked += 1;
        if (state.fault !== null) throw new Error(state.fault);
      },
      disk: async () => {},
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

it('503 with the fault within a quarter of a second', async () => {
  const { state, ready } = create();
  expect((await ready()).statusCode).toBe(200);
  state.fault = 'no connection';
  state.now += 250;
  const answer = await ready();
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({
    ready: false,
    draining: false,
    checks: { database: { ok: false, error: 'no connection' }, disk: { ok: true } },
  });
});

it('503 while the server drains, whatever was checked before', async () => {
  const { state, ready } = create();
  await ready();
  state.draining = true;
  expect((await ready()).statusCode).toBe(503);
});
