import { hasMovedClock } from '../accounts/moved-clock.ts';

/**
 * SQL for whether the clock of a tenant was moved ahead: live mode has real time.
 * @param tenant SQL for its number
 */
export const hasMovedTime = (tenant: string): string =>
  `exists (select from tenants t where t.tenant = ${tenant} and not t.livemode and ${hasMovedClock('t.account_id')})`;

/** Before and after every id of a prefix. */
const ends = { first: '', last: '_zzzzzzzzzzzzzzzzzzzzzzzzz' } as const;

/**
 * SQL for the end of a range of ids that holds everything of a range of time, with `$1` as the account; the rows still have
 * to be compared with the range. Where the clock was moved it holds all ids.
 * @param bound SQL for the id at that end
 */
export const idBound = (prefix: string, bound: string, end: keyof typeof ends): string =>
  `case when ${hasMovedClock('$1')} then '${prefix}${ends[end]}' else ${bound} end`;
