import { currencyCodes } from '@till/contract/currencies';
import type { RefundLimits } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { changedLimits, listRefundLimits, refundLimitOf, saveRefundLimits } from './refund-limits.ts';

const now = new Date('2026-11-20T12:00:00Z');
const none = { limits: [], other_currencies: 'unlimited' } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('what a role may refund at once', () => {
  it('is not limited until somebody does it, and then by currency', async () => {
    const { db } = database;
    const account = await database.openAccount();
    expect(await listRefundLimits(db, account)).toEqual([
      { role: 'support', ...none },
      { role: 'developer', ...none },
    ]);
    expect(await refundLimitOf(db, account, 'support', 'EUR')).toBeNull();
    const saved = await saveRefundLimits(
      db,
      account,
      {
        role: 'support',
        limits: [
          { currency: 'JPY', amount: 999_999_999_999 },
          { currency: 'EUR', amount: 5000 },
        ],
        other_currencies: 'unlimited',
      },
      now,
    );
    expect(saved.limits.map(({ currency }) => currency)).toEqual(['EUR', 'JPY']);
    expect(await listRefundLimits(db, account)).toEqual([saved, { role: 'developer', ...none }]);
    expect(await refundLimitOf(db, account, 'support', 'EUR')).toBe(5000);
    expect(await refundLimitOf(db, account, 'support', 'JPY')).toBe(999_999_999_999);
    expect(await refundLimitOf(db, account, 'support', 'USD')).toBeNull();
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      expect(await refundLimitOf(db, account, role, 'EUR'), role).toBeNull();
    }
  });

  it('is replaced as a whole, and can be nothing in what is not named', async () => {
    const { db } = database;
    const account = await database.openAccount();
    const other = await database.openAccount();
    const limits = [{ currency: 'EUR', amount: 5000 }];
    await saveRefundLimits(db, account, { role: 'developer', limits, other_currencies: 'refused' }, now);
    expect(await refundLimitOf(db, account, 'developer', 'USD')).toBe(0);
    expect(await refundLimitOf(db, account, 'developer', 'EUR')).toBe(5000);
    expect(await refundLimitOf(db, other, 'developer', 'EUR')).toBeNull();
    await saveRefundLimits(db, account, { role: 'developer', limits: [], other_currencies: 'refused' }, now);
    expect(await refundLimitOf(db, account, 'developer', 'EUR')).toBe(0);
    await saveRefundLimits(db, account, { role: 'developer', ...none, limits: [] }, now);
    expect(await refundLimitOf(db, account, 'developer', 'EUR')).toBeNull();
  });
});

describe('a change of limits', () => {
  const before: RefundLimits = {
    role: 'support',
    limits: [
      { currency: 'EUR', amount: 5000 },
      { currency: 'USD', amount: 6000 },
    ],
    other_currencies: 'refused',
  };

  it('leaves what it does not name', () => {
    const limits = [
      { currency: 'USD', amount: 1 },
      { currency: 'JPY', amount: 2 },
    ];
    expect(changedLimits(before, { role: 'support', limits })).toEqual({
      ...before,
      limits: [{ currency: 'EUR', amount: 5000 }, ...limits],
    });
    expect(changedLimits(before, { role: 'support', other_currencies: 'unlimited' })).toEqual({
      ...before,
      other_currencies: 'unlimited',
    });
  });

  it('removes a limit by null, also one that is gone already', () => {
    const limits = ['EUR', 'JPY'].map((currency) => ({ currency, amount: null }));
    expect(changedLimits(before, { role: 'support', limits }).limits).toEqual(before.limits.slice(1));
  });

  it.each([
    [['XAU'], 'limits[0].currency'],
    [['EUR', 'DEM'], 'limits[1].currency'],
    [['EUR', 'USD', 'EUR'], 'limits[2].currency'],
  ])('is refused for %j', (currencies, param) => {
    const limits = currencies.map((currency) => ({ currency, amount: 1 }));
    const refused: unknown = expect.objectContaining({ code: 'invalid_params', param });
    expect(() => changedLimits(before, { role: 'support', limits })).toThrow(refused);
  });

  it('is refused where more than 50 currencies would have a limit', () => {
    const limits = currencyCodes.slice(0, 51).map((currency) => ({ currency, amount: 1 }));
    const role = 'support';
    const full = changedLimits({ ...before, limits: [] }, { role, limits: limits.slice(0, 50) });
    expect(full.limits).toHaveLength(50);
    const refused: unknown = expect.objectContaining({ code: 'invalid_params', param: 'limits' });
    expect(() => changedLimits(full, { role, limits: limits.slice(50) })).toThrow(refused);
    const swapped = [...limits.slice(50), { currency: limits[0]?.currency ?? '', amount: null }];
    expect(changedLimits(full, { role, limits: swapped }).limits).toHaveLength(50);
  });
});
