import { movedTables } from '../../packages/server/src/cells/move/tables.ts';
import { openDatabase } from '../../packages/server/src/store/database.ts';

/** The database URLs of two cells. */
export type CellUrls = Readonly<Record<'home' | 'east', string>>;

/** Counts an account's rows in each table, including those of its tenants. */
export async function rowsIn(
  { urls }: { readonly urls: CellUrls },
  cell: keyof CellUrls,
  account: string,
): Promise<Record<string, number>> {
  const url = urls[cell];
  const db = openDatabase({ url, connections: 1, applicationName: 'till test', onError: () => {} });
  try {
    const query = <Row>(statement: { readonly text: string; readonly values?: readonly unknown[] }) =>
      db.query<Row>({ ...statement, scope: 'everybody' });
    const counts: Record<string, number> = {};
    const tenants = await query<{ tenant: number }>({
      text: 'select unnest(array[test_tenant, live_tenant]) as tenant from account_cells where account_id = $1 union select tenant from tenants where account_id = $1',
      values: [account],
    });
    for (const { name, owner } of await movedTables({ query })) {
      const values =
        owner === 'tenant'
          ? tenants.map(({ tenant }) => tenant)
          : [account, ...(owner === 'merchant_account' ? [`${account}_live`] : [])];
      const [row] = await query<{ n: number }>({
        text: `select count(*)::int as n from ${name} where ${owner} = any ($1)`,
        values: [values],
      });
      if (row !== undefined && row.n > 0) counts[name] = row.n;
    }
    return counts;
  } finally {
    await db.close();
  }
}
