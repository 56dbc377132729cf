import type { Queryable } from '../../store/database.ts';

/** Holds the account until the transaction ends, so that what is read of it and its keys is what is changed. */
export async function lockAccount(tx: Queryable, accountId: string): Promise<void> {
  await tx.query({
    name: 'lock_account',
    text: 'select from accounts where account_id = $1 for update',
    values: [accountId],
  });
}
