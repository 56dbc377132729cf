import { merchantApi } from '@till/contract';
import { describe, expect, it } from 'vitest';
import type { TenantId } from '../store/tenant.ts';
import type { AnsweredRequest } from './answered.ts';
import { RequestRecorder } from './recorder.ts';
import type { LogEntry } from './row.ts';

const request = (n: number, changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  id: `req_${n.toString(36).padStart(24, '0')}`,
  operation: merchantApi.createPayment,
  tenant: 1 as TenantId,
  accountId: 'acct_1',
  livemode: false,
  keyId: 'key_1',
  url: '/api/v1/payments',
  status: 201,
  code: null,
  durationMs: 1,
  ip: '127.0.0.1',
  idempotencyKey: null,
  replayed: false,
  body: null,
  answer: null,
  warnings: [],
  ...changes,
});

/** Creates a recorder whose pauses the test ends. */
function createRecorder(
  write: (entries: readonly LogEntry[]) => Promise<void> = async () => {},
  hash: (text: string) => string = (text) => text,
) {
  const batches: (readonly LogEntry[])[] = [];
  const counted = { written: 0, dropped: 0 };
  const incidents: unknown[] = [];
  const pauses: (() => void)[] = [];
  const lengths: number[] = [];
  let elapsed = 0;
  const breaths: number[] = [];
  const recorder = new RequestRecorder({
    clock: {
      elapsed: () => elapsed,
      delay: (ms, signal) =>
        new Promise((resolve) => {
          lengths.push(ms);
          pauses.push(resolve);
          if (signal?.aborted === true) resolve();
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
    },
    yieldToEventLoop: async () => void breaths.push(elapsed),
    hash,
    write: async (entries) => {
      batches.push(entries);
      await write(entries);
      return entries.length;
    },
    count: (outcome, requests) => {
      counted[outcome] += requests;
    },
    onIncident: (error) => incidents.push(error),
  });
  const offer = (changes: Partial<AnsweredRequest> = {}) => {
    recorder.note(request(batches.length, changes));
  };
  const pass = (ms: number) => {
    elapsed += ms;
  };
  return { recorder, batches, counted, incidents, pauses, lengths, breaths, offer, pass };
}

describe('the request recorder', () => {
  it('writes nothing while requests run, then everything in batches', async () => {
    const { recorder, batches, counted, offer, pauses } = createRecorder();
    const stop = recorder.start();
    for (let n = 0; n < 150; n += 1) offer();
    expect(batches).toEqual([]);
    await expect.poll(() => pauses.length).toBe(1);
    expect(batches.map((batch) => batch.length)).toEqual([100]);
    pauses[0]?.();
    await expect.poll(() => batches.map((batch) => batch.length)).toEqual([100, 50]);
    offer();
    await stop();
    expect(counted).toEqual({ written: 151, dropped: 0 });
  });

  it('pauses longer after a batch that took long', async () => {
    let took = 0;
    const kit = createRecorder(async () => kit.pass(took));
    const stop = kit.recorder.start();
    kit.offer();
    await expect.poll(() => kit.lengths).toEqual([250]);
    took = 90;
    kit.offer();
    kit.pauses[0]?.();
    await expect.poll(() => kit.lengths).toEqual([250, 900]);
    await stop();
  });

  it('lets requests get on after each one that took long to redact', async () => {
    const kit = createRecorder(undefined, (text) => {
      kit.pass(40);
      return text;
    });
    for (let n = 0; n < 4; n += 1) kit.offer({ idempotencyKey: `key-${n}` });
    await kit.recorder.start()();
    expect(kit.batches.flat()).toHaveLength(4);
    expect(kit.breaths).toEqual([40, 80, 120]);
  });

  it('drops and counts what exceeds the buffer, and writes the rest', async () => {
    const { recorder, batches, counted, offer } = createRecorder();
    for (let n = 0; n < 1200; n += 1) offer();
    expect(counted).toEqual({ written: 0, dropped: 176 });
    await recorder.start()();
    expect(batches.flat()).toHaveLength(1024);
    expect(counted).toEqual({ written: 1024, dropped: 176 });
  });

  it('continues after a failed batch', async () => {
    let fails = true;
    const { recorder, counted, incidents, offer, pauses } = createRecorder(async () => {
      if (fails) throw new Error('the database is away');
    });
    const stop = recorder.start();
    offer();
    await expect.poll(() => pauses.length).toBe(1);
    fails = false;
    offer();
    await stop();
    expect(counted).toEqual({ written: 1, dropped: 1 });
    expect(incidents).toEqual([new Error('the database is away')]);
  });

  it('stops at once where the buffer is empty', async () => {
    const { recorder, batches } = createRecorder();
    await recorder.start()();
    expect(batches).toEqual([]);
  });
});
