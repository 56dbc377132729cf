import { invalidParam } from '@till/contract';
import { currencyExponent } from '@till/contract/currencies';
import {
  type LimitedRole,
  limitedRoles,
  maxRefundLimits,
  type RefundLimits,
  type RefundLimitsChange,
  type Role,
} from '@till/contract/dashboard';
import {
  assigned,
  json,
  listOf,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
  without,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';

const limitColumns = {
  role: oneOf<LimitedRole>(),
  /** In minor units, by currency. */
  amounts: json<Readonly<Record<string, number>>>(),
  other_currencies: oneOf<RefundLimits['other_currencies']>(),
} as const;
export const insertedColumns = { account_id: text, ...limitColumns, updated_at: time } as const;
type LimitRow = RowOf<typeof limitColumns>;

const isLimited = (role: Role): role is LimitedRole => limitedRoles.some((limited) => limited === role);

const toLimits = ({ role, amounts, other_currencies }: LimitRow): RefundLimits => ({
  role,
  limits: Object.entries(amounts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount })),
  other_currencies,
});

/** The limits of one role among those of an account. */
export const limitsOfRole = (all: readonly RefundLimits[], role: LimitedRole): RefundLimits =>
  all.find((limits) => limits.role === role) ?? { role, limits: [], other_currencies: 'unlimited' };

/** The refund limits of every role that can be limited. */
export async function listRefundLimits(db: Queryable, accountId: string): Promise<RefundLimits[]> {
  const rows = await db.query<LimitRow>({
    name: 'list_refund_limits',
    text: `select ${listOf(limitColumns)} from refund_limits where account_id = $1`,
    values: [accountId],
    scope: { accountId },
  });
  const set = rows.map(toLimits);
  return limitedRoles.map((role) => limitsOfRole(set, role));
}

/**
 * The largest single refund that a role may make in a currency, in minor units; 0 if it may make none.
 * @returns null if there is no limit
 */
export async function refundLimitOf(
  db: Queryable,
  accountId: string,
  role: Role,
  currency: string,
): Promise<number | null> {
  if (!isLimited(role)) return null;
  const [row] = await db.query<{ amount: string | null; other_currencies: LimitRow['other_currencies'] }>({
    name: 'refund_limit_of',
    text: `select amounts ->> $3 as amount, other_currencies from refund_limits
           where account_id = $1 and role = $2`,
    values: [accountId, role, currency],
    scope: { accountId },
  });
  if (row === undefined) return null;
  if (row.amount !== null) return Number(row.amount);
  return row.other_currencies === 'refused' ? 0 : null;
}

/**
 * Applies a change to the limits of a role.
 * @throws ApiError `invalid_params` with `param` `limits` or `limits[…].currency`
 */
export function changedLimits(
  before: RefundLimits,
  { limits = [], other_currencies = before.other_currencies }: RefundLimitsChange,
): RefundLimits {
  const amounts = new Map(before.limits.map(({ currency, amount }) => [currency, amount]));
  const seen = new Set<string>();
  for (const [index, { currency, amount }] of limits.entries()) {
    const param = `limits[${index}].currency`;
    if (currencyExponent(currency) === undefined) {
      throw invalidParam(param, `${param} must be an active ISO 4217 code.`);
    }
    if (seen.has(currency)) throw invalidParam(param, `${param} is named twice: ${currency}.`);
    seen.add(currency);
    if (amount === null) amounts.delete(currency);
    else amounts.set(currency, amount);
  }
  if (amounts.size > maxRefundLimits) {
    throw invalidParam('limits', `limits must leave at most ${maxRefundLimits} currencies with one.`);
  }
  const kept = [...amounts].map(([currency, amount]) => ({ currency, amount }));
  return { role: before.role, limits: kept, other_currencies };
}

/**
 * Replaces the refund limits of a role.
 * @param now real time
 */
export async function saveRefundLimits(
  db: Queryable,
  accountId: string,
  options: RefundLimits,
  now: Date,
): Promise<RefundLimits> {
  const amounts = Object.fromEntries(options.limits.map(({ currency, amount }) => [currency, amount]));
  const [row] = await db.query<LimitRow>({
    name: 'save_refund_limits',
    text: `insert into refund_limits (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})
           on conflict (account_id, role) do update
             set ${assigned(without(insertedColumns, 'account_id', 'role'), 'excluded')}
           returning ${listOf(limitColumns)}`,
    values: valuesOf(insertedColumns, {
      account_id: accountId,
      role: options.role,
      amounts,
      other_currencies: options.other_currencies,
      updated_at: now,
    }),
    scope: { accountId },
  });
  if (row === undefined) throw new Error(`the refund limits of ${accountId} were not written`);
  return toLimits(row);
}
