import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import type { IdempotencyRecord } from '../lib/idempotency-record.ts';
import { deriveKeys } from '../lib/keys.ts';
import { type Suspend, suspendNothing } from '../lib/waiting/suspend.ts';
import type { TenantId } from '../store/tenant.ts';
import type { Claim } from './claims.ts';
import { Idempotency } from './idempotency.ts';
import type { IdempotencyStore } from './store.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const caller = {
  tenant: 1 as TenantId,
  accountId: 'acct_1',
  livemode: false,
  now: new Date('2026-11-20T12:00:00Z'),
  suspend: suspendNothing,
};
const request = { scope: 'POST /api/v1/payments', key: 'order-1', body: { amount: 1 } };

/** The only record in the store, and the claim that took it over. */
let record: IdempotencyRecord | undefined;
let takenOver: Claim | undefined;
let reads: number;
let takeOver: boolean;

beforeEach(() => {
  record = undefined;
  takenOver = undefined;
  reads = 0;
  takeOver = true;
});

const store = {
  read: async () => {
    reads += 1;
    return record;
  },
  takeOver: async (_key: unknown, claim: Claim) => {
    takenOver = claim;
    return takeOver ? record?.resource_id : undefined;
  },
} as unknown as IdempotencyStore;

const idempotency = (masterKey: Buffer, previous: Buffer | null = null) =>
  new Idempotency({
    store,
    clock: systemClock,
    randomBytes,
    keys: deriveKeys(masterKey, previous),
    instance: { number: 1 },
    leaseMs: 1000,
  });

/** Sends the first request, under the old master key, and leaves its record. @returns the fingerprint in it */
async function first(state: 'open' | 'done'): Promise<string> {
  const found = await idempotency(oldKey).find(caller, request);
  if (found.kind !== 'new') throw new Error(found.kind);
  const { fingerprint } = found.claim;
  const answer = state === 'done' ? { status: 201, body: '{}' } : { status: null, body: null };
  record = { fingerprint, state, resource_id: 'pay_1', created_at: caller.now, unresolved: false, ...answer };
  return fingerprint;
}

const reused = expect.objectContaining({ code: 'key_reused' });

describe('a retry during a rotation of the master key', () => {
  it.each([
    ['the new key is in force', newKey, oldKey],
    ['the old key is in force', oldKey, newKey],
  ])('is replayed: %s', async (_name, current, other) => {
    await first('done');
    const found = await idempotency(current, other).find(caller, request);
    expect(found).toEqual({ kind: 'replay', status: 201, body: '{}' });
  });

  it('resumes what the first one left, under the stored fingerprint', async () => {
    const fingerprint = await first('open');
    const found = await idempotency(newKey, oldKey).find(caller, request);
    expect(found).toMatchObject({ kind: 'resume', resourceId: 'pay_1', claim: { fingerprint } });
    expect(takenOver?.fingerprint).toBe(fingerprint);
  });

  it('409 key_reused where the body differs', async () => {
    await first('done');
    const other = { ...request, body: { amount: 2 } };
    await expect(idempotency(newKey, oldKey).find(caller, other)).rejects.toEqual(reused);
    await expect(idempotency(oldKey).find(caller, other)).rejects.toEqual(reused);
  });

  it('409 key_reused once the old master key is removed', async () => {
    await first('done');
    await expect(idempotency(newKey).find(caller, request)).rejects.toEqual(reused);
  });
});

describe('the fingerprint of a new request', () => {
  it('is made with the current master key', async () => {
    const alone = await idempotency(newKey).find(caller, request);
    const both = await idempotency(newKey, oldKey).find(caller, request);
    if (alone.kind !== 'new' || both.kind !== 'new') throw new Error('nothing is on record');
    expect(both.claim.fingerprint).toBe(alone.claim.fingerprint);
  });
});

describe('the record read together with the API key', () => {
  it('saves a second read, also where there was none', async () => {
    await first('done');
    reads = 0;
    const found = await idempotency(oldKey).find(caller, { ...request, lookedUp: { record } });
    const nothing = await idempotency(oldKey).find(caller, { ...request, lookedUp: { record: undefined } });
    expect([found.kind, nothing.kind, reads]).toEqual(['replay', 'new', 0]);
  });

  it('is read again after a wait for the first request', async () => {
    await first('open');
    const running = record;
    record = record && { ...record, state: 'done', status: 201, body: '{}' };
    takeOver = false;
    reads = 0;
    const service = idempotency(oldKey);
    const suspend: Suspend = (wait) => {
      const waited = wait();
      service.finished(caller, takenOver as Claim);
      return waited;
    };
    const found = await service.find({ ...caller, suspend }, { ...request, lookedUp: { record: running } });
    expect([found.kind, reads]).toEqual(['replay', 1]);
  });
});

describe('a wait for the first request', () => {
  it('that fails leaves its place to the next one', async () => {
    await first('open');
    takeOver = false;
    const service = idempotency(oldKey);
    const failing: Suspend = () => Promise.reject(new Error('no place came free'));
    const retry = (suspend: Suspend) => service.find({ ...caller, suspend }, request);
    // As many as may wait for one key at the same time.
    for (let n = 0; n < 50; n += 1) await expect(retry(failing)).rejects.toThrow('no place came free');
    const found = await retry((wait) => {
      takeOver = true;
      return wait();
    });
    expect(found.kind).toBe('resume');
  });
});
