import type { StoredFile } from '@till/contract';
import type { Database } from '../store/database.ts';

/** A file as the database keeps it, without its content. */
export interface FileRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly name: string;
  readonly content_type: StoredFile['content_type'];
  /** Bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly created_at: Date;
}

interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

const columns = `account_id, livemode, id, name, content_type, size, encode(sha256, 'hex') as sha256, created_at`;

/** All SQL on files. */
export class FileStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async insert(file: FileRow, content: Uint8Array): Promise<void> {
    await this.#db.query({
      name: 'insert_file',
      text: `insert into files (account_id, livemode, id, name, content_type, size, sha256, content, created_at)
             values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, $9)`,
      values: [
        file.account_id,
        file.livemode,
        file.id,
        file.name,
        file.content_type,
        file.size,
        file.sha256,
        content,
        file.created_at,
      ],
    });
  }

  /** The merchant's files with these ids; what is not there is left out. */
  async find(tenant: Tenant, ids: readonly string[]): Promise<FileRow[]> {
    return this.#db.query<FileRow>({
      name: 'find_files',
      text: `select ${columns} from files where account_id = $1 and livemode = $2 and id = any ($3)`,
      values: [tenant.accountId, tenant.livemode, ids],
    });
  }

  /** The content of the merchant's files with these ids, by id. */
  async contents(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await this.#db.query<{ id: string; content: Buffer }>({
      name: 'file_contents',
      text: `select id, content from files where account_id = $1 and livemode = $2 and id = any ($3)`,
      values: [tenant.accountId, tenant.livemode, ids],
    });
    return new Map(rows.map(({ id, content }) => [id, content]));
  }
}
