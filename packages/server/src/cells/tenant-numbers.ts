import type { Queryable } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';

/** Takes the numbers of an account in test and live mode, which no account in any cell has. */
export async function takeTenantNumbers(tx: Queryable): Promise<readonly [TenantId, TenantId]> {
  const sequence = `pg_get_serial_sequence('tenants', 'tenant')`;
  const [row] = await tx.query<{ test: TenantId; live: TenantId }>({
    text: `select nextval(${sequence})::int as test, nextval(${sequence})::int as live`,
    // The sequence is the owner's.
    scope: 'everybody',
  });
  if (row === undefined) throw new Error('a statement without a table gives one row');
  return [row.test, row.live];
}

/** Numbers up to this one are in use in another cell: they are not taken again. */
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
