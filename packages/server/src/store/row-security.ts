import { acrossAccounts, type Connection, type Database, sqlState } from './database.ts';
import { tenantRole } from './scope.ts';

const lockNumber = 7_110_415;
/** The schemas that servers use. */
const schemas = ['public', 'sandbox'];
const alreadyThere = new Set(['42710', '23505']);

/** Why row-level security cannot be used; null if it can. */
export type RowSecurityFault = string | null;

/**
 * Ensures that the role to which the row-level security policies apply exists, and that the database user may assume it. If the
 * user may not create the role, an administrator has to.
 * @returns why the role cannot be used, with what to do about it; null if it can
 */
export async function prepareRowSecurity(db: Database): Promise<RowSecurityFault> {
  return db.transaction(async (scoped) => {
    const tx = acrossAccounts(scoped);
    // Two servers that run the same grants at once would block each other or fail.
    await tx.query({ text: 'select pg_advisory_xact_lock($1)', values: [lockNumber] });
    const fault = await requireRole(tx);
    if (fault !== null) return fault;
    await grantTables(tx);
    return (await mayTake(tx)) ? null : howTo;
  });
}

/** Checks whether this user may assume the role, without changing anything. */
export async function checkRowSecurity(db: Database): Promise<RowSecurityFault> {
  const [role] = await db.query<{ member: boolean | null }>({
    text: `select (select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = $1) as member`,
    values: [tenantRole],
    scope: 'anybody',
  });
  return role?.member === true ? null : howTo;
}

const howTo = `the database's user may not take the role ${tenantRole}: let an administrator run "create role ${tenantRole} nologin" and "grant ${tenantRole} to" that user, then start again`;

/** Even a member may be forbidden to assume the role; then every later statement would fail. */
async function mayTake(tx: Connection): Promise<boolean> {
  await tx.query({ text: 'savepoint taking_the_role' });
  try {
    await tx.query({ text: `set local role ${tenantRole}` });
    return true;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    return false;
  } finally {
    await tx.query({ text: 'rollback to taking_the_role' });
  }
}

async function requireRole(tx: Connection): Promise<RowSecurityFault> {
  const [found] = await tx.query<{ there: boolean; member: boolean; may_create: boolean }>({
    text: `select r.oid is not null as there, coalesce(pg_has_role(current_user, r.oid, 'member'), false) as member,
             u.rolsuper or u.rolcreaterole as may_create
           from pg_roles u left join pg_roles r on r.rolname = $1 where u.rolname = current_user`,
    values: [tenantRole],
  });
  if (found?.member === true) return null;
  if (found?.may_create !== true) return howTo;
  await tx.query({ text: 'savepoint making_the_role' });
  try {
    if (!found.there) await tx.query({ text: `create role ${tenantRole} nologin` });
    await tx.query({ text: `grant ${tenantRole} to current_user` });
    return null;
  } catch (error) {
    const state = sqlState(error);
    if (state === undefined) throw error;
    await tx.query({ text: 'rollback to making_the_role' });
    // A server on another database of this cluster may have created the role at the same moment.
    return alreadyThere.has(state) ? requireRole(tx) : howTo;
  }
}

/** Grants access to the tables that lack it. Partitions need no grants: they are accessed through their partitioned table. */
async function grantTables(tx: Connection): Promise<void> {
  const missing = await tx.query<{ name: string }>({
    text: `select format('%I.%I', n.nspname, c.relname) as name
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v') and not c.relispartition
             and c.relname <> 'schema_migrations'
             and not (has_table_privilege($2, c.oid, 'select') and has_table_privilege($2, c.oid, 'insert')
               and has_table_privilege($2, c.oid, 'update') and has_table_privilege($2, c.oid, 'delete'))`,
    values: [schemas, tenantRole],
  });
  if (missing.length === 0) return;
  const present = await tx.query<{ name: string }>({
    text: 'select nspname as name from pg_namespace where nspname = any ($1)',
    values: [schemas],
  });
  const names = present.map(({ name }) => name).join(', ');
  await tx.query({ text: `grant usage on schema ${names} to ${tenantRole}` });
  const tables = missing.map(({ name }) => name).join(', ');
  await tx.query({ text: `grant select, insert, update, delete on ${tables} to ${tenantRole}` });
}
