import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import { receiveNotification } from './receive-notification.ts';
import { openNotification } from './sealed.ts';
import {
  createProcess,
  createTestDatabase,
  delivery,
  namesOf,
  openAccount,
  start,
  stored,
} from './test-kit.ts';

let db: Database;
let drop: () => Promise<void>;
let shop: string;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
  shop = await openAccount(db, 'processor_a');
});
afterAll(() => drop());

describe('a verified notification', () => {
  it('is stored as sent, acknowledged with the receipt and counted, and wakes the job', async () => {
    const { deps, counted, woken, logged } = createProcess(db);
    const account = await openAccount(db, 'processor_b');
    const request = delivery(account, false, [{ id: 'WH-1', type: 'PAYMENT.CAPTURE.COMPLETED' }]);
    expect(await receiveNotification(deps, 'processor_b', account, request)).toBe('[taken]');
    const [id] = await namesOf(db, account, ['WH-1']);
    expect(await stored(db, account)).toEqual([
      {
        tenant: tenantIn(account).tenant,
        processor: 'processor_b',
        id,
        type: 'PAYMENT.CAPTURE.COMPLETED',
        state: 'received',
        tries: 0,
        received_at: start,
        next_try_at: start,
        applied_at: null,
      },
    ]);
    expect(counted).toEqual(['processor_b accepted']);
    expect(woken()).toBe(1);
    expect(logged).toEqual([]);
  });

  it('belongs to the mode whose connection verifies it', async () => {
    const { deps } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    await receiveNotification(deps, 'processor_a', account, delivery(account, true, [{ id: 'live' }]));
    await receiveNotification(deps, 'processor_a', account, delivery(account, false, [{ id: 'test' }]));
    const names = await namesOf(db, account, ['live', 'test']);
    expect((await stored(db, account, true)).map(({ id }) => id)).toEqual(names.slice(0, 1));
    expect((await stored(db, account, false)).map(({ id }) => id)).toEqual(names.slice(1));
  });

  it('may be one of several in a delivery, duplicates included', async () => {
    const { deps, counted } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    const several = delivery(account, false, [{ id: 'one' }, { id: 'two' }, { id: 'one' }]);
    await receiveNotification(deps, 'processor_a', account, several);
    const names = await namesOf(db, account, ['one', 'two']);
    expect((await stored(db, account)).map(({ id }) => id).toSorted()).toEqual(names.toSorted());
    expect(counted.toSorted()).toEqual([
      'processor_a accepted',
      'processor_a accepted',
      'processor_a duplicate',
    ]);
  });

  it('is stored with any characters', async () => {
    const { deps } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    const odd = 'a\0b \ud800 "quoted" \\u0000 é 漢';
    await receiveNotification(deps, 'processor_a', account, {
      headers: { signature: `${account} false` },
      body: Buffer.from(JSON.stringify([{ id: 'odd', reason: odd }])),
    });
    const options = { now: start, lease: deps.lease(), maxTries: 20 };
    const [taken] = await deps.store.takeNew(tenantIn(account), options, 1);
    if (taken === undefined) throw new Error('nothing was taken');
    expect(await openNotification(deps.vault, tenantIn(account), taken)).toEqual({ id: 'odd', reason: odd });
  });
});

describe('a repeated notification', () => {
  it('gets the same receipt and changes nothing', async () => {
    const { deps, counted, woken } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    const request = delivery(account, false, [{ id: 'one', type: 'FIRST' }]);
    expect(await receiveNotification(deps, 'processor_a', account, request)).toBe('[taken]');
    const again = delivery(account, false, [{ id: 'one', type: 'SECOND' }]);
    expect(await receiveNotification(deps, 'processor_a', account, again)).toBe('[taken]');
    expect((await stored(db, account)).map(({ type }) => type)).toEqual(['FIRST']);
    expect(counted).toEqual(['processor_a accepted', 'processor_a duplicate']);
    expect(woken()).toBe(1);
  });

  it('20 concurrent copies at two processes are stored once', async () => {
    const processes = [createProcess(db), createProcess(db)];
    const account = await openAccount(db, 'processor_a');
    const many = Array.from({ length: 5 }, (_, index) => ({ id: `n${index}` }));
    const receipts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const ordered = index % 2 === 0 ? many : many.toReversed();
        const { deps } = processes[index % 2] ?? createProcess(db);
        return receiveNotification(deps, 'processor_a', account, delivery(account, false, ordered));
      }),
    );
    expect(new Set(receipts)).toEqual(new Set(['[taken]']));
    expect(await stored(db, account)).toHaveLength(5);
    const counted = processes.flatMap((one) => one.counted);
    expect(counted.filter((result) => result.endsWith('accepted'))).toHaveLength(5);
    expect(counted).toHaveLength(100);
  });

  it('in the other mode or another account is another notification', async () => {
    const { deps, counted } = createProcess(db);
    const other = await openAccount(db, 'processor_a');
    for (const [account, livemode] of [
      [shop, false],
      [shop, true],
      [other, false],
    ] as const) {
      const request = delivery(account, livemode, [{ id: 'same' }]);
      await receiveNotification(deps, 'processor_a', account, request);
    }
    expect(counted).toEqual(Array(3).fill('processor_a accepted'));
  });
});

describe('a notification that is not verified', () => {
  it('401, not stored, and logged without its content', async () => {
    const { deps, counted, logged, woken } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    const request = delivery(account, false, [{ id: 'forged-1' }], 'forged');
    await expect(receiveNotification(deps, 'processor_a', account, request)).rejects.toMatchObject({
      code: 'invalid_signature',
      status: 401,
      type: 'authentication_error',
    });
    expect(await stored(db, account)).toEqual([]);
    expect(await stored(db, account, true)).toEqual([]);
    expect(counted).toEqual(['processor_a refused']);
    expect(woken()).toBe(0);
    expect(logged).toEqual([
      {
        message: 'notification refused',
        about: {
          accountId: account,
          processor: 'processor_a',
          detail: 'test: wrong signature; live: wrong signature',
        },
      },
    ]);
  });

  it('401 where it is signed for another account', async () => {
    const { deps } = createProcess(db);
    const account = await openAccount(db, 'processor_a');
    const request = delivery(shop, false, [{ id: 'stray' }]);
    await expect(receiveNotification(deps, 'processor_a', account, request)).rejects.toMatchObject({
      code: 'invalid_signature',
    });
    expect(await stored(db, account)).toEqual([]);
  });

  it('401 for a live one without a live connection', async () => {
    const { deps } = createProcess(db, { live: false });
    const request = delivery(shop, true, [{ id: 'too early' }]);
    await expect(receiveNotification(deps, 'processor_a', shop, request)).rejects.toMatchObject({
      code: 'invalid_signature',
    });
  });

  it('503 where it cannot be verified now, so that it is sent again', async () => {
    const { deps, counted } = createProcess(db);
    const account = await openAccount(db, 'processor_b');
    const request = delivery(account, false, [{ id: 'one' }], 'unsure');
    await expect(receiveNotification(deps, 'processor_b', account, request)).rejects.toMatchObject({
      code: 'provider_unavailable',
      status: 503,
    });
    expect(await stored(db, account)).toEqual([]);
    expect(counted).toEqual(['processor_b unverifiable']);
  });
});

describe('an address without an account at that processor', () => {
  it.each([
    ['is unknown', 'acct_000000000000000000000000'],
    ['is no id', "acct_' or true"],
    ['is empty', ''],
  ])('404: it %s', async (_what, account) => {
    const { deps, counted } = createProcess(db);
    const request = delivery(account, false, [{ id: 'one' }]);
    await expect(receiveNotification(deps, 'processor_a', account, request)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(counted).toEqual([]);
  });

  it('404: it has the other processor', async () => {
    const { deps } = createProcess(db);
    const request = delivery(shop, false, [{ id: 'wrong door' }]);
    await expect(receiveNotification(deps, 'processor_b', shop, request)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
