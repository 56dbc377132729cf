import pg from 'pg';
import { expect, it } from 'vitest';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { TestClock } from '../../vault/test-database.ts';
import { Fences } from './fences.ts';

/** The error that the trigger raises for writes of an account that is being moved. */
function refusal(hint: 'fenced' | 'gone') {
  const error = new pg.DatabaseError('the account is being moved to another cell', 1, 'error');
  return Object.assign(error, { code: 'TM001', detail: 'acct_1', hint });
}

/** A fence that refuses writes while `stands` is true, and counts them. */
function create(hint: 'fenced' | 'gone' = 'fenced') {
  const clock = new TestClock();
  const state = { stands: true, refused: 0, suspended: 0 };
  const write = async () => {
    if (!state.stands) return 'written';
    state.refused += 1;
    throw refusal(hint);
  };
  const suspend: Suspend = (wait) => {
    state.suspended += 1;
    return wait();
  };
  return { clock, state, write, suspend, fences: new Fences(clock) };
}

it('of many writes that wait one is tried again, and all are written once the fence is gone', async () => {
  const { clock, state, write, fences } = create();
  clock.whileWaiting = async () => {
    state.stands = state.refused < 30;
  };
  const written = await Promise.all(Array.from({ length: 20 }, () => fences.past(write)));
  expect(new Set(written)).toEqual(new Set(['written']));
  // Each of the 20 writes once, and ten retries of one of them.
  expect(state.refused).toBe(30);
});

it('what waits leaves its place to others meanwhile', async () => {
  const { clock, state, write, suspend, fences } = create();
  clock.whileWaiting = async () => {
    state.stands = state.refused < 3;
  };
  await Promise.all([fences.past(write, suspend), fences.past(write, suspend)]);
  expect(state.suspended).toBeGreaterThanOrEqual(state.refused);
});

it('the refusal is thrown after ten seconds, to all that wait', async () => {
  const { clock, write, fences } = create();
  const ends = await Promise.allSettled(Array.from({ length: 3 }, () => fences.past(write)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(clock.elapsed() - new TestClock().elapsed()).toBe(10_000);
});

it('the refusal is thrown at once where the account is elsewhere', async () => {
  const { state, write, fences } = create('gone');
  await expect(fences.past(write)).rejects.toMatchObject({ code: 'TM001' });
  expect(state.refused).toBe(1);
});
