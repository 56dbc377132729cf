import type { StoredFile } from '@till/contract';
import { lockAccount } from '../accounts/sql.ts';
import {
  bytes,
  type Column,
  int,
  keyColumns,
  listOf,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

const fileColumns = {
  ...keyColumns,
  name: text,
  content_type: oneOf<StoredFile['content_type']>(),
  /** In bytes. */
  size: int,
  /** In hex. */
  sha256: text,
  created_at: time,
} as const;
export const insertedColumns = {
  ...fileColumns,
  sha256: bytes,
  content: bytes as Column<Uint8Array>,
} as const;

/** A stored file without its content. */
export type FileRow = RowOf<typeof fileColumns>;

const columns = listOf(fileColumns, 'f', { sha256: `encode(f.sha256, 'hex')` });

/** The number and total size of an account's files in one mode. */
export interface FileTotals {
  readonly count: number;
  readonly bytes: number;
}

/** SQL for whether a dispute of the account, or the draft of an answer, uses the file of a row `f`. */
const isUsed = `(exists (
  select from dispute_drafts w where w.tenant = f.tenant and f.id = any (w.files)) or exists (
  select from dispute_evidence e cross join json_array_elements(e.evidence) i
  where e.tenant = f.tenant and i ->> 'file' = f.id))`;
/** How many files of each account and mode one statement deletes, so that none waits for the many files of another. */
const removedAtOnce = 50;

/** All SQL on files. */
export class FileStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores a file. The account is locked meanwhile, so that concurrent files are counted one by one. Waiting for the lock holds a
   * connection, so each process queues its uploads per account (`upload-queue.ts`).
   * @param check receives the totals without the new file; if it throws, nothing is stored
   */
  async insert(
    { tenant, accountId }: Tenant,
    file: FileRow,
    content: Uint8Array,
    check: (kept: FileTotals) => void,
  ): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const [kept] = await tx.query<FileTotals>({
        name: 'count_files',
        text: `select count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes from files
               where tenant = $1`,
        values: [tenant],
        scope: { tenant },
      });
      check(kept ?? { count: 0, bytes: 0 });
      await tx.query({
        name: 'insert_file',
        text: `insert into files (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})`,
        values: valuesOf(insertedColumns, { ...file, sha256: Buffer.from(file.sha256, 'hex'), content }),
        scope: { tenant },
      });
    });
  }

  /** The merchant's files with these ids. Unknown ids are left out. */
  async find(tenant: Tenant, ids: readonly string[]): Promise<FileRow[]> {
    return this.#db.query<FileRow>({
      name: 'find_files',
      text: `select ${columns} from files f where tenant = $1 and id = any ($2)`,
      values: [tenant.tenant, ids],
      scope: tenant,
    });
  }

  /** The files that can be used: created since `sinceId`, or already used by a dispute. */
  async findUsable(tenant: Tenant, ids: readonly string[], sinceId: string): Promise<FileRow[]> {
    return this.#db.query<FileRow>({
      name: 'find_usable_files',
      text: `select ${columns} from files f
             where tenant = $1 and id = any ($2) and (id >= $3 or ${isUsed})`,
      values: [tenant.tenant, ids, sinceId],
      scope: tenant,
    });
  }

  /** Deletes some files of each account that are older than an id and that no dispute uses. @returns how many were deleted */
  async removeUnused(beforeId: string): Promise<number> {
    const rows = await this.#db.query({
      name: 'remove_unused_files',
      scope: 'everybody',
      text: `with unused as (
               select tenant, id,
                 row_number() over (partition by tenant order by id) as n
               from files f where id < $1 and not ${isUsed})
             delete from files f using unused u
             where f.tenant = u.tenant and f.id = u.id and u.n <= $2
             returning 1`,
      values: [beforeId, removedAtOnce],
    });
    return rows.length;
  }

  /** The contents of the merchant's files with these ids, by id. */
  async contents(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await this.#db.query<{ id: string; content: Buffer }>({
      name: 'file_contents',
      text: `select id, content from files where tenant = $1 and id = any ($2)`,
      values: [tenant.tenant, ids],
      scope: tenant,
    });
    return new Map(rows.map(({ id, content }) => [id, content]));
  }
}
