import type { SandboxDatabase } from './dependencies.ts';
import { columnsOf, databaseJson } from './json.ts';

/** The type of a document. All ids of one kind have the same format. */
export type DocumentKind = 'access_token' | 'setup_token' | 'transaction_context' | 'signing_key' | 'fault';

export interface SandboxDocument {
  readonly kind: DocumentKind;
  readonly id: string;
  /** Empty if the document belongs to no merchant account. */
  readonly merchantAccount: string;
  readonly body: unknown;
  readonly at: Date;
}

/**
 * Inserts a document unless one with the same id exists.
 * @returns whether it was inserted
 */
export const keepDocument = (database: SandboxDatabase, document: SandboxDocument): Promise<boolean> =>
  write(database, document, 'do nothing');

/**
 * Inserts a document, or replaces one with the same id that is at least `olderThanMs` milliseconds old.
 * @returns whether it was written
 */
export const replaceDocument = (
  database: SandboxDatabase,
  document: SandboxDocument,
  olderThanMs = 0,
): Promise<boolean> =>
  write(
    database,
    document,
    `do update set body = excluded.body, created_at = excluded.created_at
     where known.created_at <= excluded.created_at - ${olderThanMs} * interval '1 millisecond'`,
  );

async function write(
  database: SandboxDatabase,
  { kind, id, merchantAccount, body, at }: SandboxDocument,
  onConflict: string,
): Promise<boolean> {
  const { rows } = await database.query(
    `insert into sandbox.documents as known (kind, id, merchant_account, body, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (kind, id, merchant_account) ${onConflict} returning 1`,
    [kind, id, merchantAccount, databaseJson(body), at.toISOString()],
  );
  return rows.length === 1;
}

/**
 * Reads a document, or returns null if it does not exist.
 * @param merchantAccount null if the id alone identifies the document
 */
export async function readDocument(
  database: SandboxDatabase,
  kind: DocumentKind,
  id: string,
  merchantAccount: string | null,
): Promise<Pick<SandboxDocument, 'merchantAccount' | 'body' | 'at'> | null> {
  const { rows } = await database.query(
    `select merchant_account, body, created_at from sandbox.documents
     where kind = $1 and id = $2 and ($3::text is null or merchant_account = $3)`,
    [kind, id, merchantAccount],
  );
  if (rows.length === 0) return null;
  const { merchant_account, body, created_at } = columnsOf(rows[0]);
  if (!(created_at instanceof Date)) throw new Error('the database gave back a time that is no date');
  return { merchantAccount: String(merchant_account), body, at: created_at };
}
