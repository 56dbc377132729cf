/**
 * SQL that selects the stored attempts of an account's deliveries.
 * @param given SQL of the account, of its tenant and of the earliest time
 */
export const attemptsSince = (given: Readonly<Record<'account' | 'tenant' | 'since', string>>): string =>
  `select * from delivery_attempts where account_id = ${given.account} and tenant = ${given.tenant} and at >= ${given.since}`;

/** The stored attempts of all accounts that began at `$1` or later and before `$2`. */
export const attemptsOfEverybody = {
  sql: 'select * from delivery_attempts where at >= $1 and at < $2',
  scope: 'everybody',
} as const;

/** SQL condition: an endpoint of the account accepted a delivery at or after a time. */
export const hasDelivered = (account: string, since: string): string =>
  `exists (select from delivery_attempts where account_id = ${account} and at >= ${since}
    and answer_status between 200 and 299)`;
