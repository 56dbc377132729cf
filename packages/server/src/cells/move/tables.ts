import type { Connection } from '../../store/database.ts';

/** Tables of users and of the directory, which are at home. Cells have copies of some of them. */
export const homeTables: readonly string[] = [
  // The directory: the cells of accounts and API keys, and the state of moves.
  'account_cells',
  'account_moves',
  'cell_keys',
  'cells',
  // Users sign in at home, wherever their accounts are. A cell has copies of memberships, which `addCopies` writes.
  'users',
  'memberships',
  'user_totp',
  'sessions',
  'recovery_codes',
  'setup_links',
  'sign_in_throttles',
  'known_sites',
  // An invitation is looked up by its token, which does not contain the account.
  'invitations',
];

/** Tables with each database's own rows, which are not copied. */
export const ownTables: readonly string[] = [
  // The state of moves in source and target.
  'arrivals',
  'departed_rows',
  'departures',
  // The name of the cell.
  'own_cell',
  // The master keys of the installation; all cells have the same.
  'master_keys',
  // Processes that are connected to this database.
  'process_lives',
  'process_marks',
  'schema_migrations',
];

/** Tables that the jobs of a cell read all the time. They are committed before the rest, and later changes are copied again. */
export const firstTables: readonly string[] = [
  'accounts',
  // The tenant numbers by which the rows of all other tables are found.
  'tenants',
  // Credentials and the key that decrypts them: the cell's processes have them in memory when the rest is committed.
  'connections',
  'account_keys',
  'connection_credentials',
];

/** The column that assigns a table's rows to an account. */
export type OwnerColumn = 'account_id' | 'tenant' | 'merchant_account';

/** A table whose rows move with their account. */
export interface MovedTable {
  /** The name, with the schema unless that is `public`. */
  readonly name: string;
  readonly owner: OwnerColumn;
  readonly key: readonly string[];
  /** The columns without generated ones. */
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  /** The SQL type. */
  readonly type: string;
}

interface Found {
  readonly name: string;
  readonly owner: OwnerColumn | null;
  readonly key: string[];
  readonly columns: readonly Column[];
  readonly refers_to: string[];
}

const catalogue = `
  select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name,
    (select a.attname from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
       and a.attname in ('account_id', 'tenant', 'merchant_account')
     order by array_position(array['account_id', 'tenant', 'merchant_account'], a.attname::text) limit 1) as owner,
    array(select a.attname::text from pg_index i cross join lateral unnest(i.indkey) with ordinality as k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary order by k.place) as key,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname !~ '^(pg_|information_schema$)' and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

/** Every table of a database, with the column that assigns its rows to an account; null if there is none. */
export function readCatalogue(db: Pick<Connection, 'query'>): Promise<Found[]> {
  return db.query<Found>({ text: catalogue });
}

/**
 * The tables whose rows move with their account, in the order of their foreign keys.
 * @throws Error for a table that has no owner column and is in none of the lists above
 */
export async function movedTables(db: Pick<Connection, 'query'>): Promise<MovedTable[]> {
  const staying = new Set([...homeTables, ...ownTables]);
  const open = (await readCatalogue(db)).filter(({ name }) => !staying.has(name));
  const sorted: MovedTable[] = [];
  const done = new Set<string>();
  while (open.length > 0) {
    const index = open.findIndex(({ refers_to: others }) =>
      others.every((other) => done.has(other) || !open.some(({ name }) => name === other)),
    );
    const [table] = open.splice(Math.max(index, 0), 1);
    if (table === undefined || index < 0) throw new Error('tables refer to each other in a circle');
    const { name, owner, key, columns } = table;
    if (owner === null || key.length === 0) throw new Error(`nobody said whose the rows of ${name} are`);
    sorted.push({ name, owner, key, columns });
    done.add(name);
  }
  return sorted;
}

/** Values of the owner columns for one account. */
export interface MovedAccount {
  readonly accountId: string;
  readonly tenants: readonly [number, number];
}

/** SQL condition for an account's rows, with literal values, which are Till's own ids and numbers. @param row alias or record */
export function isOf({ owner }: MovedTable, { accountId, tenants }: MovedAccount, row: string): string {
  if (!/^acct_[0-9a-z]+$/.test(accountId)) throw new Error('that is no account');
  switch (owner) {
    case 'account_id':
      return `${row}.account_id = '${accountId}'`;
    case 'tenant':
      return `${row}.tenant in (${tenants.map(Number).join(', ')})`;
    case 'merchant_account':
      return `${row}.merchant_account in ('${accountId}', '${accountId}_live')`;
  }
}
