import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { listRefundLimits, refundLimitOf, saveRefundLimits } from './refund-limits.ts';

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

  it.each([
    [['XAU'], 'limits[0].currency'],
    [['EUR', 'DEM'], 'limits[1].currency'],
    [['EUR', 'USD', 'EUR'], 'limits[2].currency'],
  ])('is refused for %j, and nothing changes', async (currencies, param) => {
    const { db } = database;
    const account = await database.openAccount();
    const limits = currencies.map((currency) => ({ currency, amount: 1 }));
    await expect(
      saveRefundLimits(db, account, { role: 'support', limits, other_currencies: 'refused' }, now),
    ).rejects.toMatchObject({ code: 'invalid_params', param });
    expect((await listRefundLimits(db, account))[0]).toEqual({ role: 'support', ...none });
  });
});
