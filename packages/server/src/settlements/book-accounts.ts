import { invalidParam } from '@till/contract';
import { type BookAccounts, bookAccounts, defaultBookAccounts } from '@till/contract/dashboard';
import { json, listOf, parametersOf, text, time, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';

export const bookColumns = { account_id: text, names: json<BookAccounts>(), updated_at: time } as const;

/** The accounts of a merchant's books by their names there, else the usual ones. */
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
 * Names the accounts of a merchant's books.
 * @param now real time
 * @throws ApiError `invalid_params` for an empty name, and for one of two accounts
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
    // What goes through the clearing account has to come to nothing there.
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
