import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { AccountClocks } from './account-clocks.ts';

const start = new Date('2026-11-20T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const account = 'acct_0mfy2k9a7c3e5g1h8j4m6p2q';

/** The offset that the database returns for every account, and the number of its queries. */
let offset: number;
let reads: number;
let clocks: AccountClocks;

beforeEach(() => {
  offset = 0;
  reads = 0;
  const db = {
    query: async () => {
      reads += 1;
      return [{ account_id: account, clock_offset_ms: offset }];
    },
  } as unknown as Database;
  clocks = new AccountClocks(db, { now: () => start, elapsed: () => 0, delay: async () => {} });
});

describe('the time of a merchant account', () => {
  it('is real time and the offset that the last request brought, without asking the database', async () => {
    clocks.note(account, 5_000);
    expect(await clocks.now(account)).toEqual(after(5_000));
    expect(reads).toBe(0);
  });

  it('is read where no request has come yet', async () => {
    offset = 7_000;
    expect(await clocks.now(account)).toEqual(after(7_000));
  });

  it('never goes back: a request in live mode brings no offset', async () => {
    clocks.note(account, 5_000);
    clocks.note(account, 0);
    expect(await clocks.now(account)).toEqual(after(5_000));
  });

  it('is real time for the merchant account of live mode', async () => {
    clocks.note(account, 5_000);
    expect(await clocks.now(`${account}_live`)).toEqual(start);
    expect(await clocks.nowAnew(`${account}_live`)).toEqual(start);
    expect(reads).toBe(0);
  });

  it('is read with that of all others that are asked for at once', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, n) => clocks.nowAnew(`acct_${n}`)));
    expect(reads).toBeLessThan(8);
  });

  it('can be read anew, for clocks that somebody else has moved, and stays known', async () => {
    clocks.note(account, 5_000);
    offset = 9_000;
    expect(await clocks.now(account)).toEqual(after(5_000));
    expect(await clocks.nowAnew(account)).toEqual(after(9_000));
    expect(await clocks.now(account)).toEqual(after(9_000));
    expect(reads).toBe(1);
  });
});
