import { invalidParam } from '@till/contract';
import { currencyExponent } from '@till/contract/currencies';
import { type LimitedRole, limitedRoles, type RefundLimits, type Role } from '@till/contract/dashboard';
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

/** What each role may refund at once, for every role that can be limited. */
export async function listRefundLimits(db: Queryable, accountId: string): Promise<RefundLimits[]> {
  const rows = await db.query<LimitRow>({
    name: 'list_refund_limits',
    text: `select ${listOf(limitColumns)} from refund_limits where account_id = $1`,
    values: [accountId],
    scope: { accountId },
  });
  return limitedRoles.map((role) => {
    const row = rows.find((found) => found.role === role);
    return row === undefined ? { role, limits: [], other_currencies: 'unlimited' } : toLimits(row);
  });
}

/**
 * The largest amount of one refund that a role may make in a currency; 0: none at all.
 * @returns null where nothing limits it
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

function checkLimits({ limits }: RefundLimits): void {
  const seen = new Set<string>();
  for (const [index, { currency }] of limits.entries()) {
    const param = `limits[${index}].currency`;
    if (currencyExponent(currency) === undefined) {
      throw invalidParam(param, `${param} must be an active ISO 4217 code.`);
    }
    if (seen.has(currency)) throw invalidParam(param, `${param} is named twice: ${currency}.`);
    seen.add(currency);
  }
}

/**
 * Replaces what a role may refund at once.
 * @param now real time
 * @throws ApiError `invalid_params` with `param` `limits[…].currency`
 */
export async function saveRefundLimits(
  db: Queryable,
  accountId: string,
  options: RefundLimits,
  now: Date,
): Promise<RefundLimits> {
  checkLimits(options);
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
