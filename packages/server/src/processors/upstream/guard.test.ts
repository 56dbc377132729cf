import { describe, expect, it } from 'vitest';
import { create as createAdmission } from '../../http/admission/test-admission.ts';
import { type Suspend, suspendNothing } from '../../lib/waiting/suspend.ts';
import { type BreakerChange, ProcessorGuard } from './guard.ts';
import { errorAnswer, unknown } from './no-answer.ts';

type Ending = 'answer' | 'hang' | 'refusal';

function create({ sharesOrigin = true } = {}) {
  let now = 0;
  const changes: BreakerChange[] = [];
  const refusals: string[] = [];
  const guard = new ProcessorGuard({
    elapsed: () => now,
    hangMs: 5_000,
    sharesOrigin,
    onChange: (change) => changes.push(change),
    onRefused: (reason) => refusals.push(reason),
  });
  const pass = (ms: number) => {
    now += ms;
  };
  const caller = (accountId: string, livemode = true, baseUrl = 'https://upstream.example/v1') => ({
    accountId,
    livemode,
    baseUrl,
  });
  /** Starts `times` concurrent calls; calls to a processor that hangs end together. @returns the kinds of their outcomes */
  const call = async (who: ReturnType<typeof caller>, ending: Ending, times = 1): Promise<string[]> => {
    const outcome = () =>
      ending === 'answer'
        ? { kind: 'succeeded' }
        : unknown('provider_unavailable', ending === 'hang' ? 'timeout' : 'dropped');
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const calls = Array.from({ length: times }, () =>
      guard.run(
        who,
        () => ended.then(outcome),
        () => ending === 'answer',
      ),
    );
    if (ending === 'hang') pass(30_000);
    end();
    return (await Promise.all(calls)).map(({ kind }) => kind);
  };
  return { guard, changes, refusals, pass, caller, call };
}

describe('the guard of a processor', () => {
  it('refuses an account whose calls hang as not executed, and says when to retry', async () => {
    const { guard, changes, refusals, caller, call } = create();
    expect(guard.retryAfterSeconds(caller('a'))).toBeNull();
    expect(await call(caller('a'), 'hang', 5)).toEqual(Array(5).fill('unknown'));
    expect(await call(caller('a'), 'answer')).toEqual(['not_executed']);
    expect(guard.retryAfterSeconds(caller('a'))).toBe(1);
    expect(refusals).toEqual(['breaker']);
    expect(guard.openBreakers('account')).toBe(1);
    expect(changes).toEqual([
      {
        isOpen: true,
        scope: 'account',
        origin: 'https://upstream.example',
        account: { id: 'a', livemode: true },
      },
    ]);
  });

  it('admits other accounts, and the other mode of the same one', async () => {
    const { guard, changes, caller, call } = create();
    await call(caller('a'), 'hang', 100);
    expect(await call(caller('b'), 'answer')).toEqual(['succeeded']);
    expect(await call(caller('a', false), 'answer')).toEqual(['succeeded']);
    expect(changes.map(({ scope }) => scope)).toEqual(['account']);
    expect(guard.retryAfterSeconds(caller('a'))).toBe(1);
  });

  it('closes with the answer to a probe', async () => {
    const { guard, changes, pass, caller, call } = create();
    await call(caller('a'), 'hang', 5);
    pass(1_000);
    expect(await call(caller('a'), 'answer', 3)).toEqual(['succeeded', 'not_executed', 'not_executed']);
    expect(await call(caller('a'), 'answer', 3)).toEqual(Array(3).fill('succeeded'));
    expect(changes.map(({ isOpen }) => isOpen)).toEqual([true, false]);
    expect(guard.openBreakers('account')).toBe(0);
  });

  it('the next call is a probe where one ended by an error of our own', async () => {
    const { guard, pass, caller, call } = create();
    await call(caller('a'), 'hang', 5);
    pass(1_000);
    const failing = guard.run(
      caller('a'),
      () => Promise.reject(new Error('no commit')),
      () => false,
    );
    await expect(failing).rejects.toThrow('no commit');
    expect(await call(caller('a'), 'answer')).toEqual(['succeeded']);
    expect(guard.openBreakers('account')).toBe(0);
  });

  it('does not open for quick refusals, nor for hangs with answers between them', async () => {
    const { changes, caller, call } = create();
    await call(caller('a'), 'refusal', 100);
    for (let time = 0; time < 20; time += 1) {
      await call(caller('a'), 'hang', 4);
      await call(caller('a'), 'answer');
    }
    expect(changes).toEqual([]);
  });

  it('opens for an origin once several accounts hang there and none has an answer', async () => {
    const { guard, changes, pass, caller, call } = create();
    await call(caller('a'), 'hang', 20);
    expect(await call(caller('c'), 'answer')).toEqual(['succeeded']);
    await call(caller('b'), 'hang', 10);
    expect(changes.map(({ scope }) => scope)).toEqual(['account', 'account', 'origin']);
    expect(await call(caller('c'), 'answer')).toEqual(['not_executed']);
    const elsewhere = caller('c', true, 'https://other.example');
    expect(await call(elsewhere, 'answer')).toEqual(['succeeded']);
    pass(1_000);
    expect(await call(caller('c'), 'answer')).toEqual(['succeeded']);
    expect(await call(caller('d'), 'answer', 2)).toEqual(['succeeded', 'succeeded']);
    expect(guard.openBreakers('origin')).toBe(0);
  });

  it('never opens for all accounts of simulators', async () => {
    const { caller, changes, call } = create({ sharesOrigin: false });
    for (const account of ['a', 'b', 'c']) await call(caller(account), 'hang', 20);
    expect(changes.map(({ scope }) => scope)).toEqual(['account', 'account', 'account']);
    expect(await call(caller('d'), 'answer')).toEqual(['succeeded']);
  });

  it('bounds how many calls of an account wait, and leaves places to the others', async () => {
    const { guard, refusals, caller, call } = create();
    const waiting = ['a', 'b', 'c', 'd'].map((account) => call(caller(account), 'answer', 600));
    expect([guard.inFlight, refusals.length]).toEqual([2_000, 400]);
    expect(guard.retryAfterSeconds(caller('a'))).toBe(2);
    expect(await call(caller('e'), 'answer', 3)).toEqual(Array(3).fill('succeeded'));
    const kinds = (await Promise.all(waiting)).flat();
    expect(kinds.filter((kind) => kind === 'not_executed')).toHaveLength(400);
    expect(guard.inFlight).toBe(0);
  });

  it('bounds verifications while the processor hangs, and runs them', async () => {
    const { guard, caller, call } = create();
    await call(caller('a'), 'hang', 5);
    const verify = () => guard.verify(caller('a'), async () => ({ kind: 'verified' }));
    const kinds = (await Promise.all(Array.from({ length: 40 }, verify))).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'verified')).toHaveLength(32);
  });

  it('a request frees its admission place while it asks; a background job frees none', async () => {
    const { admission, ask } = createAdmission({ working: 1 });
    const { guard, caller } = create();
    const { place } = ask();
    const next = ask();
    let answer = () => {};
    const answered = new Promise<{ kind: string }>((resolve) => {
      answer = () => resolve({ kind: 'succeeded' });
    });
    const call = (suspend?: Suspend) =>
      guard.run(
        { ...caller('a'), suspend },
        () => answered,
        () => true,
      );
    const calls = [call(), call(suspendNothing)];
    expect([admission.working, admission.waiting, next.place]).toEqual([1, 0, undefined]);
    calls.push(call(place?.suspend));
    expect([admission.working, admission.waiting, next.place !== undefined]).toEqual([1, 1, true]);
    answer();
    await Promise.all(calls);
    expect([admission.working, admission.waiting]).toEqual([2, 0]);
  });
});

it('an answer that is a refusal is no silence, however long it took', async () => {
  let now = 0;
  const guard = new ProcessorGuard({
    elapsed: () => now,
    hangMs: 5000,
    sharesOrigin: true,
    onChange: () => {},
    onRefused: () => {},
  });
  const run = (accountId: string) =>
    guard.run(
      { accountId, livemode: true, baseUrl: 'https://upstream.example' },
      async () => {
        now += 5000;
        return errorAnswer({ status: 422, code: 'X' }, true, 'refused');
      },
      () => true,
    );
  for (const accountId of ['a', 'b']) for (let n = 0; n < 5; n += 1) await run(accountId);
  expect(await run('c')).toMatchObject({ error: { status: 422 } });
});
