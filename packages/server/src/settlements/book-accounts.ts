import { invalidParam } from '@till/contract';
import { type BookAccounts, bookAccounts, defaultBookAccounts } from '@till/contract/dashboard';
import { json, listOf, parametersOf, text, time, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';

export const bookColumns = { account_id: text, names: json<BookAccounts>(), updated_at: time } as const;

/** Reads the merchant's names of the book accounts, or the default names if none are set. */
export async function readBookAccounts(db: Queryable, accountId: string): Promise<BookAccounts> {
  const [row] = await db.query<{ names: BookAccounts }>({
    name: 'book_accounts_of',
    text: 'select names from book_accounts where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  return row?.names ?? defaultBookAccounts;
}

/**
 * Sets the names of a merchant's book accounts.
 * @param now real time
 * @throws ApiError `invalid_params` if a name is empty or names two accounts
 */
export async function saveBookAccounts(
  db: Queryable,
  accountId: string,
  sent: BookAccounts,
  now: Date,
): Promise<BookAccounts> {
  const names = Object.fromEntries(
    bookAccounts.map((account) => [account, sent[account].trim()]),
  ) as BookAccounts;
  const taken = new Set<string>();
  for (const account of bookAccounts) {
    const name = names[account];
    if (name === '') throw invalidParam(account, `${account} must not be empty.`);
    // The clearing account must balance to zero, so no other account may have its name.
    if (taken.has(name)) {
      throw invalidParam(account, `${account} must be another account than the ones before it.`);
    }
    taken.add(name);
  }
  await db.query({
    name: 'save_book_accounts',
    text: `insert into book_accounts (${listOf(bookColumns)}) values (${parametersOf(bookColumns)})
           on conflict (account_id) do update set names = excluded.names, updated_at = excluded.updated_at`,
    values: valuesOf(bookColumns, { account_id: accountId, names, updated_at: now }),
    scope: { accountId },
  });
  return names;
}
