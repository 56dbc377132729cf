import { invalidParam } from '@till/contract';
import {
  type CardTestingChange,
  type CardTestingLimits,
  cardTestingKinds,
  defaultCardTestingLimits,
} from '@till/contract/dashboard';
import { json, listOf, parametersOf, text, time, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';

export const limitColumns = {
  account_id: text,
  limits: json<CardTestingLimits>(),
  updated_at: time,
} as const;

/** The limits of an account, or the defaults. */
export async function cardTestingLimits(db: Queryable, accountId: string): Promise<CardTestingLimits> {
  const [row] = await db.query<{ limits: CardTestingLimits }>({
    name: 'card_testing_limits_of',
    text: 'select limits from card_testing_limits where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  return row?.limits ?? defaultCardTestingLimits;
}

/** Applies a change to the limits. */
export const changedCardTesting = (
  before: CardTestingLimits,
  change: CardTestingChange,
): CardTestingLimits => ({
  address: { ...before.address, ...change.address },
  card: { ...before.card, ...change.card },
  link: { ...before.link, ...change.link },
  account: { ...before.account, ...change.account },
});

/**
 * Replaces an account's limits.
 * @param now real time
 * @throws ApiError `invalid_params` if a refusal would come before the delay
 */
export async function saveCardTestingLimits(
  db: Queryable,
  accountId: string,
  { address, card, link, account }: CardTestingLimits,
  now: Date,
): Promise<CardTestingLimits> {
  const limits = { address, card, link, account };
  for (const kind of cardTestingKinds) {
    const { slow_after: slow, refuse_after: refuse } = limits[kind];
    if (slow === null || refuse === null || slow <= refuse) continue;
    const param = `${kind}.refuse_after`;
    throw invalidParam(param, `${param} must not be below ${kind}.slow_after.`);
  }
  await db.query({
    name: 'save_card_testing_limits',
    text: `insert into card_testing_limits (${listOf(limitColumns)}) values (${parametersOf(limitColumns)})
           on conflict (account_id) do update set limits = excluded.limits, updated_at = excluded.updated_at`,
    values: valuesOf(limitColumns, { account_id: accountId, limits, updated_at: now }),
    scope: { accountId },
  });
  return limits;
}
