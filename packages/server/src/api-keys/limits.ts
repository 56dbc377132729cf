import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { Queryable } from '../store/database.ts';

/** The amount that a request is about to move, in minor units. */
export interface Movement {
  readonly amount: number;
  readonly currency: string;
}

/** @throws ApiError `limit_exceeded` if the request's key may not move so much at once */
export function requireWithinAmount({ restriction }: AccountContext, { amount, currency }: Movement): void {
  const max = restriction?.max_amount ?? null;
  if (max === null || amount <= max) return;
  throw new ApiError(
    'limit_exceeded',
    `This restricted key may move at most ${max} at once, in minor units (max_amount); this would move ${amount} ${currency}.`,
    { param: 'max_amount' },
  );
}

/** For operations that do not support approvals. @throws ApiError `limit_exceeded` if the request's key would need one */
export function requireNoApprovalNeeded(
  { restriction }: AccountContext,
  { amount, currency }: Movement,
): void {
  const max = restriction?.approval_above ?? null;
  if (max === null || amount <= max) return;
  throw new ApiError(
    'limit_exceeded',
    `Requests of this restricted key above ${max} minor units (approval_above) need a person's approval, which this operation does not support. This one is for ${amount} ${currency}.`,
    { param: 'approval_above' },
  );
}

/**
 * Checks again, when a refund or capture begins, that it needs no approval: the payment may have changed since `approvals/`
 * decided so.
 * @throws ApiError `provider_unavailable` if it needs an approval now: nothing has begun, and a retry is evaluated anew
 */
export function requireNoApproval({ restriction, roleWaitsAbove }: AccountContext, amount: number): void {
  const max = restriction?.approval_above ?? roleWaitsAbove ?? null;
  if (max === null || amount <= max) return;
  throw new ApiError(
    'provider_unavailable',
    'The payment has just changed, and this has to wait for approval now. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 1 },
  );
}

const nothingTaken = async () => {};

/** SQL for the key whose daily sum counts a key's movements: the first key if the key was rolled. */
const countedIn = (account: string, key: string) =>
  `coalesce((select limits_of from api_keys where account_id = ${account} and id = ${key}), ${key})`;

/**
 * Counts the amount of a request against the daily limit of its key, before anything begins. One statement checks and adds, so
 * that the limit holds with any number of concurrent requests. A key without such a limit needs no statement.
 * @returns a function that gives the amount back, to call if nothing began after all
 * @throws ApiError `limit_exceeded`
 */
export async function takeFromDay(
  db: Queryable,
  context: AccountContext,
  movement: Movement,
): Promise<() => Promise<void>> {
  const max = context.restriction?.max_daily ?? null;
  if (max === null) return nothingTaken;
  const { amount, currency } = movement;
  const day = context.now.toISOString().slice(0, 10);
  const values = [context.tenant, context.keyId, currency, day, amount];
  const [taken] = await db.query<{ day: string; key_id: string }>({
    name: 'take_from_key_day',
    // A process whose clock is behind adds to the later day that another process has begun.
    text: `insert into api_key_days as d (tenant, key_id, currency, day, amount)
           select $1, ${countedIn('$7', '$2')}, $3, $4, $5 where $5::bigint <= $6::bigint
           on conflict (tenant, key_id, currency) do update set day = greatest(d.day, excluded.day),
             amount = excluded.amount + case when d.day >= excluded.day then d.amount else 0 end
           where excluded.amount + case when d.day >= excluded.day then d.amount else 0 end <= $6
           returning d.day::text, d.key_id`,
    values: [...values, max, context.accountId],
    scope: context,
  });
  if (taken === undefined) throw await dayIsUsedUp(db, context, movement, max);
  return async () => {
    // If another day has begun since, its sum stays unchanged.
    await db.query({
      name: 'give_back_to_key_day',
      text: `update api_key_days set amount = amount - $5
             where tenant = $1 and key_id = $2 and currency = $3 and day = $4::date and amount >= $5`,
      values: [context.tenant, taken.key_id, currency, taken.day, amount],
      scope: context,
    });
  };
}

/**
 * Like `takeFromDay`, for a request with an idempotency key.
 * @returns null if the limit is exceeded, but another request with the same key was faster, whose answer counts
 */
export async function takeOnce(
  deps: {
    readonly db: Queryable;
    readonly isKeyTaken: (context: AccountContext, claim: Claim) => Promise<boolean>;
  },
  context: AccountContext,
  movement: Movement,
  claim: Claim | null,
): Promise<(() => Promise<void>) | null> {
  try {
    return await takeFromDay(deps.db, context, movement);
  } catch (error) {
    if (error instanceof ApiError && claim !== null && (await deps.isKeyTaken(context, claim))) return null;
    throw error;
  }
}

async function dayIsUsedUp(
  db: Queryable,
  context: AccountContext,
  { amount, currency }: Movement,
  max: number,
): Promise<ApiError> {
  const [row] = await db.query<{ amount: number }>({
    name: 'read_key_day',
    text: `select amount from api_key_days
           where tenant = $1 and key_id = ${countedIn('$5', '$2')} and currency = $3 and day >= $4::date`,
    values: [
      context.tenant,
      context.keyId,
      currency,
      context.now.toISOString().slice(0, 10),
      context.accountId,
    ],
    scope: context,
  });
  return new ApiError(
    'limit_exceeded',
    `This restricted key may move at most ${max} ${currency} on one UTC day, in minor units (max_daily); ` +
      `it has moved ${row?.amount ?? 0}, and this would move ${amount}.`,
    { param: 'max_daily' },
  );
}
