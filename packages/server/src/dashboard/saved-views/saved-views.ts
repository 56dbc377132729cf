import { ApiError, invalidParam } from '@till/contract';
import { type SavedView, savedViewLimits } from '@till/contract/dashboard';
import { isTypedCardNumber, withoutCardNumber } from '@till/contract/typed-card-number';
import { isoSeconds } from '../../lib/clock.ts';
import { listOf, oneOf, parametersOf, type RowOf, text, time, valuesOf } from '../../store/columns.ts';
import type { Database, Queryable } from '../../store/database.ts';

/** The owner of the views: a person in one account. Views apply to both modes. */
export interface Viewer {
  readonly accountId: string;
  readonly userId: string;
}

const viewColumns = {
  list: oneOf<SavedView['list']>(),
  name: text,
  query: text,
  created_at: time,
} as const;
export const insertedColumns = { account_id: text, user_id: text, ...viewColumns } as const;
type ViewRow = RowOf<typeof viewColumns>;

const columns = listOf(viewColumns);

const present = ({ created_at: at, ...view }: ViewRow): SavedView => ({
  ...view,
  created_at: isoSeconds(at),
});

/** A person's views, by list and name. @param list null for all lists */
export async function listSavedViews(
  db: Queryable,
  { accountId, userId }: Viewer,
  list: SavedView['list'] | null,
): Promise<SavedView[]> {
  const rows = await db.query<ViewRow>({
    name: 'list_saved_views',
    text: `select ${columns} from saved_views
           where account_id = $1 and user_id = $2 and ($3::text is null or list = $3) order by list, lower(name), name`,
    values: [accountId, userId, list],
    scope: { accountId },
  });
  return rows.map(present);
}

/** A view as it is stored: a whole card number that somebody typed is cut to its last four digits. */
export function keptView({ name, query }: Pick<SavedView, 'name' | 'query'>) {
  const filters = [...new URLSearchParams(query)];
  const isCut = filters.some(([, value]) => isTypedCardNumber(value.trim()));
  const kept = filters.map(([filter, value]): [string, string] => [filter, withoutCardNumber(value).text]);
  return {
    name: withoutCardNumber(name.trim()).text,
    query: isCut ? new URLSearchParams(kept).toString() : query,
  };
}

/**
 * Saves a view, and replaces the view of the same list and name.
 * @param logged writes the audit entry in the same transaction
 * @throws ApiError `invalid_params` if the person has too many views
 */
export async function saveView(
  db: Database,
  { accountId, userId }: Viewer,
  view: Pick<SavedView, 'list' | 'name' | 'query'> & { readonly at: Date },
  logged: (tx: Queryable) => Promise<void>,
): Promise<SavedView> {
  const { name, query } = keptView(view);
  return db.transaction(async (tx) => {
    const [row] = await tx.query<ViewRow>({
      name: 'save_view',
      text: `insert into saved_views (${listOf(insertedColumns)})
             select ${parametersOf(insertedColumns)} where (
               select count(*) from saved_views
               where account_id = $1 and user_id = $2 and (list, name) <> ($3, $4)) < $7
             on conflict (account_id, user_id, list, name)
               do update set query = excluded.query, created_at = excluded.created_at
             returning ${columns}`,
      values: [
        ...valuesOf(insertedColumns, {
          account_id: accountId,
          user_id: userId,
          list: view.list,
          name,
          query,
          created_at: view.at,
        }),
        savedViewLimits.views,
      ],
      scope: { accountId },
    });
    if (row === undefined) {
      throw invalidParam('name', `You have ${savedViewLimits.views} views here. Remove one first.`);
    }
    await logged(tx);
    return present(row);
  });
}

/** @param logged writes the audit entry in the same transaction @throws ApiError `not_found` */
export async function removeView(
  db: Database,
  { accountId, userId }: Viewer,
  view: { readonly list: string; readonly name: string },
  logged: (tx: Queryable) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await tx.query({
      name: 'remove_view',
      text: `delete from saved_views where account_id = $1 and user_id = $2 and list = $3 and name = $4
             returning 1`,
      values: [accountId, userId, view.list, view.name],
      scope: { accountId },
    });
    if (rows.length === 0) throw new ApiError('not_found', 'There is no view of this name.');
    await logged(tx);
  });
}
