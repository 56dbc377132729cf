/** SQL of the kept attempts of an account's deliveries. @param given SQL of the account, its tenant and a time on */
export const attemptsSince = (given: Readonly<Record<'account' | 'tenant' | 'since', string>>): string =>
  `select * from delivery_attempts where account_id = ${given.account} and tenant = ${given.tenant} and at >= ${given.since}`;

/** The kept attempts that began from `$1` on and before `$2`. */
export const attemptsOfEverybody = {
  sql: 'select * from delivery_attempts where at >= $1 and at < $2',
  scope: 'everybody',
} as const;

/** SQL for whether an endpoint of an account took a delivery since a time. */
export const hasDelivered = (account: string, since: string): string =>
  `exists (select from delivery_attempts where account_id = ${account} and at >= ${since}
    and answer_status between 200 and 299)`;
