import type { StoredFile } from '@till/contract';
import type { Database } from '../store/database.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/** A file as the database keeps it, without its content. */
export interface FileRow {
  readonly tenant: TenantId;
  readonly id: string;
  readonly name: string;
  readonly content_type: StoredFile['content_type'];
  /** Bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly created_at: Date;
}

const columns = `tenant, id, name, content_type, size, encode(sha256, 'hex') as sha256, created_at`;

/** What an account keeps in one mode. */
export interface KeptFiles {
  readonly count: number;
  readonly bytes: number;
}

/** SQL for whether a dispute of the account uses the file of a row `f`. */
const isUsed = `exists (
  select from dispute_evidence e cross join json_array_elements(e.evidence) i
  where e.tenant = f.tenant and i ->> 'file' = f.id)`;
/** Of each account and mode in one statement, so that none waits for the many files of another. */
const removedAtOnce = 50;

/** All SQL on files. */
export class FileStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Keeps a file. The account is locked meanwhile, so that files that come at once are counted one by one. A connection is
   * held while the lock is waited for: uploads of one process are queued by account (`upload-queue.ts`).
   * @param check given what is kept without it; a throw keeps nothing
   */
  async insert(
    { tenant, accountId }: Tenant,
    file: FileRow,
    content: Uint8Array,
    check: (kept: KeptFiles) => void,
  ): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await tx.query({
        name: 'lock_account_for_files',
        text: 'select from accounts where account_id = $1 for no key update',
        values: [accountId],
        scope: { accountId },
      });
      const [kept] = await tx.query<KeptFiles>({
        name: 'count_files',
        text: `select count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes from files
               where tenant = $1`,
        values: [tenant],
        scope: { tenant },
      });
      check(kept ?? { count: 0, bytes: 0 });
      await tx.query({
        name: 'insert_file',
        text: `insert into files (tenant, id, name, content_type, size, sha256, content, created_at)
               values ($1, $2, $3, $4, $5, decode($6, 'hex'), $7, $8)`,
        values: [
          tenant,
          file.id,
          file.name,
          file.content_type,
          file.size,
          file.sha256,
          content,
          file.created_at,
        ],
        scope: { tenant },
      });
    });
  }

  /** The merchant's files with these ids; what is not there is left out. */
  async find(tenant: Tenant, ids: readonly string[]): Promise<FileRow[]> {
    return this.#db.query<FileRow>({
      name: 'find_files',
      text: `select ${columns} from files where tenant = $1 and id = any ($2)`,
      values: [tenant.tenant, ids],
      scope: tenant,
    });
  }

  /** Those that may be used: made since an id, or used by a dispute already. */
  async findUsable(tenant: Tenant, ids: readonly string[], sinceId: string): Promise<FileRow[]> {
    return this.#db.query<FileRow>({
      name: 'find_usable_files',
      text: `select ${columns} from files f
             where tenant = $1 and id = any ($2) and (id >= $3 or ${isUsed})`,
      values: [tenant.tenant, ids, sinceId],
      scope: tenant,
    });
  }

  /** Deletes files from before an id that no dispute uses, some of each account. @returns how many */
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

  /** The content of the merchant's files with these ids, by id. */
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
