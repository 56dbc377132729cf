import { merchantApi } from '@till/contract';
import { describe, expect, it } from 'vitest';
import type { TenantId } from '../store/tenant.ts';
import { type AnsweredRequest, hold } from './answered.ts';
import { WaitingRequests } from './waiting.ts';

const request = (accountId: string, changes: Partial<AnsweredRequest> = {}) =>
  hold({
    id: 'req_1',
    operation: merchantApi.createPayment,
    tenant: 1 as TenantId,
    accountId,
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

/** Empties the buffer. @returns the number of requests by account and status */
function taken(waiting: WaitingRequests): Record<string, Record<number, number>> {
  const counts: Record<string, Record<number, number>> = {};
  for (let batch = waiting.take(100); batch.length > 0; batch = waiting.take(100)) {
    for (const { accountId, status } of batch) {
      const own = counts[accountId] ?? {};
      counts[accountId] = { ...own, [status]: (own[status] ?? 0) + 1 };
    }
  }
  return counts;
}

function fill(
  waiting: WaitingRequests,
  count: number,
  accountId: string,
  changes?: Partial<AnsweredRequest>,
) {
  let dropped = 0;
  for (let n = 0; n < count; n += 1) dropped += waiting.add(request(accountId, changes));
  return dropped;
}

describe('the buffer of the request log', () => {
  it('a noisy account evicts no entry of the others', () => {
    const waiting = new WaitingRequests();
    expect(fill(waiting, 10, 'quiet')).toBe(0);
    expect(fill(waiting, 5000, 'noisy')).toBe(5000 - 1014);
    expect(fill(waiting, 100, 'late')).toBe(100);
    expect(taken(waiting)).toEqual({ quiet: { 201: 10 }, noisy: { 201: 914 }, late: { 201: 100 } });
    expect(waiting.isEmpty).toBe(true);
  });

  it('two noisy accounts get equal shares', () => {
    const waiting = new WaitingRequests();
    fill(waiting, 3000, 'one', { status: 422 });
    fill(waiting, 3000, 'other');
    expect(taken(waiting)).toEqual({ one: { 422: 512 }, other: { 201: 512 } });
  });

  it('errors are kept rather than successes of the same account', () => {
    const waiting = new WaitingRequests();
    fill(waiting, 1000, 'one');
    fill(waiting, 600, 'one', { status: 422 });
    fill(waiting, 100, 'one');
    expect(taken(waiting)).toEqual({ one: { 201: 424, 422: 600 } });
  });

  it('keeps few requests of each account that were refused for key or rate only', () => {
    const waiting = new WaitingRequests();
    expect(fill(waiting, 1000, 'one', { status: 429 })).toBe(980);
    expect(fill(waiting, 30, 'one', { status: 401 })).toBe(10);
    expect(fill(waiting, 10, 'other', { status: 401 })).toBe(0);
    expect(fill(waiting, 10, 'one')).toBe(0);
    expect(taken(waiting)).toEqual({ one: { 201: 10, 401: 20, 429: 20 }, other: { 401: 10 } });
    expect(fill(waiting, 1, 'one', { status: 429 })).toBe(0);
  });

  it('is drained round robin by account, each account in its own order', () => {
    const waiting = new WaitingRequests();
    for (const id of ['a1', 'a2', 'a3']) waiting.add(request('a', { id }));
    for (const id of ['b1', 'b2']) waiting.add(request('b', { id }));
    waiting.add(request('c', { id: 'c1' }));
    const ids = (max: number) => waiting.take(max).map(({ id }) => id);
    expect(ids(2)).toEqual(['a1', 'b1']);
    expect(ids(2)).toEqual(['c1', 'a2']);
    expect(ids(9)).toEqual(['b2', 'a3']);
    expect(ids(9)).toEqual([]);
  });

  it('bounds its memory, whatever is sent', () => {
    const waiting = new WaitingRequests();
    // Above the body limit, so only the size is held.
    fill(waiting, 300, 'one', { body: Buffer.alloc(64 * 1024) });
    fill(waiting, 1000, 'other', { body: Buffer.alloc(32 * 1024) });
    const { one, other } = taken(waiting);
    expect(one).toEqual({ 201: 300 });
    expect(other?.[201]).toBe(Math.floor((8 * 1024 - 300 * 8) / 40));
  });
});
