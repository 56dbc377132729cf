import type { Database } from '../store/database.ts';

/** SQL of the n-th copy's id. It has the same length and form as the original id. */
const copied = (column: string) => `left(${column}, -6) || lpad(n::text, 6, '0')`;

/**
 * Copies an account's rows of a table, in both modes, in one statement. Simulates a tenant with many rows.
 * @param columns the columns with ids to be changed; a column `seq` continues to count
 */
export async function multiply(
  db: Database,
  query: {
    readonly table: string;
    readonly accountId: string;
    readonly copies: number;
    readonly ids?: readonly string[];
    readonly isNumbered?: boolean;
  },
): Promise<void> {
  const { table, accountId, copies, ids = ['id'], isNumbered = false } = query;
  const changes = [
    ...ids.map((column) => `'${column}', ${copied(`t.${column}`)}`),
    ...(isNumbered ? [`'seq', t.seq + n`] : []),
  ];
  await db.query({
    text: `insert into ${table}
           select (jsonb_populate_record(t, jsonb_build_object(${changes.join(', ')}))).*
           from ${table} t cross join generate_series(1, $2::int) n
           where case when to_jsonb(t) ? 'account_id' then to_jsonb(t) ->> 'account_id' = $1
             else (to_jsonb(t) ->> 'tenant')::int in (select tenant from tenants where account_id = $1) end`,
    values: [accountId, copies],
    scope: 'everybody',
  });
}

/** A promise that never settles. */
export const never = <Out>(): Promise<Out> => new Promise<Out>(() => {});
