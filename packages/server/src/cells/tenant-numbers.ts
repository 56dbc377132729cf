import type { Queryable } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';

/** Takes two tenant numbers for a new account, for test and live mode. They are unique across all cells. */
export async function takeTenantNumbers(tx: Queryable): Promise<readonly [TenantId, TenantId]> {
  const sequence = `pg_get_serial_sequence('tenants', 'tenant')`;
  const [row] = await tx.query<{ test: TenantId; live: TenantId }>({
    text: `select nextval(${sequence})::int as test, nextval(${sequence})::int as live`,
    // Only the owner of the tables may use the sequence.
    scope: 'everybody',
  });
  if (row === undefined) throw new Error('a statement without a table gives one row');
  return [row.test, row.live];
}

/** Advances the sequence beyond a number that is in use in another cell. */
export async function passTenantNumbers(db: Queryable, last: number): Promise<void> {
  await db.query({
    text: `select setval(s.name::regclass, $1)
           from (select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, coalesce(last_value, 0) as last
                 from pg_sequences where (quote_ident(schemaname) || '.' || quote_ident(sequencename))::regclass
                   = pg_get_serial_sequence('tenants', 'tenant')::regclass) s
           where s.last < $1`,
    values: [last],
    scope: 'everybody',
  });
}
