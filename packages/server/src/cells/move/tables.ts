import type { Connection } from '../../store/database.ts';

/** What belongs to people and the directory, and is at home; of some, cells have copies. */
export const homeTables: readonly string[] = [
  // The directory: where accounts are, whose keys these are, and how far their moves have come.
  'account_cells',
  'account_moves',
  'cell_keys',
  'cells',
  // People sign in at home, whatever their accounts. A cell has copies of who is a member, and `addCopies` brings them.
  'users',
  'memberships',
  'user_totp',
  'sessions',
  'recovery_codes',
  'setup_links',
  'sign_in_throttles',
  'known_sites',
  // Asked for by its token, which names no account.
  'invitations',
];

/** What each database has for itself. */
export const ownTables: readonly string[] = [
  // Of the move itself, on both of its sides.
  'arrivals',
  'departed_rows',
  'departures',
  // Which cell it is.
  'own_cell',
  // The master key that this database belongs to; all cells have the same.
  'master_keys',
  // Of processes that are connected here.
  'process_lives',
  'process_marks',
  'schema_migrations',
];

/** Read by the jobs of a cell all the time: it is there before the rest, and changes of it are copied once more. */
export const firstTables: readonly string[] = [
  'accounts',
  // Names the numbers by which the rows of all other tables are found.
  'tenants',
  // With the credentials and the key that opens them, processes of that cell have them in memory when the rest arrives.
  'connections',
  'account_keys',
  'connection_credentials',
];

/** By which of its columns a table's rows belong to an account. */
export type OwnerColumn = 'account_id' | 'tenant' | 'merchant_account';

/** A table whose rows move with their account. */
export interface MovedTable {
  /** With the schema where that is not the usual one. */
  readonly name: string;
  readonly owner: OwnerColumn;
  readonly key: readonly string[];
  /** Without those that the database computes. */
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  /** As SQL writes it. */
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

/** Every table of a database, and by which column its rows belong to an account; null: to none. */
export function readCatalogue(db: Pick<Connection, 'query'>): Promise<Found[]> {
  return db.query<Found>({ text: catalogue });
}

/**
 * The tables whose rows move with their account, those that others refer to before these.
 * @throws Error for a table of which nobody said whose it is
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

/** SQL of the rows of an account, with its literal names: they are ids and numbers of ours. @param row alias or record */
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
