/**
 * SQL for whether the account's sandbox clock was moved ahead. Ids carry real time and `created_at` account time; where the
 * two are apart a range of ids is no range of time.
 * @param account SQL for the account's id
 */
export const hasMovedClock = (account: string): string =>
  `exists (select from accounts where account_id = ${account} and clock_offset_ms > 0)`;
