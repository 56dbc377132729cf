import { describe, expect, it } from 'vitest';
import { playSteps, type Step } from '../test-kit.ts';
import { ConnectionError } from './errors.ts';

const paid: Step = { status: 201, body: { id: 'pay_1' } };
const sale = { amount: 4990, currency: 'EUR' };
const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a call without a response', () => {
  it('says so, and why', async () => {
    const broken = await caught(playSteps(['broken']).till.payments.create(sale));
    expect(broken).toBeInstanceOf(ConnectionError);
    expect(broken).toMatchObject({ type: 'connection_error', code: 'connection_failed', retryable: true });
    expect((broken as Error).cause).toBeInstanceOf(TypeError);
    const late = await caught(playSteps(['hanging']).till.payments.create(sale));
    expect(late).toMatchObject({ code: 'timed_out', message: expect.stringContaining('60000 ms') });
  });

  it('says that it may have been carried out, and to repeat it with its key, where it changes something', async () => {
    for (const step of ['broken', 'hanging'] as const) {
      const { till } = playSteps([step], { maxRetries: 0 });
      const saying = async (call: Promise<unknown>) => String(await caught(call));
      expect(await saying(till.payments.create(sale))).toMatch(
        /It may have been carried out\. Repeat it with the same idempotencyKey\.$/,
      );
      expect(await saying(till.testHelpers.advanceClock(60))).toMatch(/It may have been carried out\.$/);
      expect(await saying(till.payments.retrieve('pay_1'))).toMatch(/\(GET \/api\/v1\/payments\/pay_1\)\.$/);
    }
  });

  it('takes no longer than the call allows', async () => {
    const { till, clock } = playSteps([paid]);
    await till.payments.create(sale, { timeoutMs: 1500 });
    expect(clock.pauses).toEqual([1500]);
    expect(await caught(till.payments.create(sale, { timeoutMs: 0 }))).toBeInstanceOf(TypeError);
  });
});

describe('a signal', () => {
  it('aborts a pending call with its reason', async () => {
    const controller = new AbortController();
    const { till, sent } = playSteps(['hanging'], {
      clock: { now: () => new Date(0), after: () => () => {} },
    });
    const call = caught(till.payments.create(sale, { signal: controller.signal }));
    expect(sent).toHaveLength(1);
    controller.abort(new Error('closed'));
    expect(await call).toEqual(new Error('closed'));
    expect(sent).toHaveLength(1);
  });

  it('aborts the pause before a retry', async () => {
    const controller = new AbortController();
    const { till, sent } = playSteps(['broken'], {
      clock: {
        now: () => new Date(0),
        after: (ms) => {
          if (ms < 60_000) queueMicrotask(() => controller.abort(new Error('closed')));
          return () => {};
        },
      },
    });
    expect(await caught(till.payments.create(sale, { signal: controller.signal }))).toEqual(
      new Error('closed'),
    );
    expect(sent).toHaveLength(1);
  });

  it('that was aborted before keeps the call from being sent', async () => {
    const { till, sent } = playSteps([paid]);
    const signal = AbortSignal.abort(new Error('closed'));
    expect(await caught(till.payments.create(sale, { signal }))).toEqual(new Error('closed'));
    expect(sent).toEqual([]);
  });
});
