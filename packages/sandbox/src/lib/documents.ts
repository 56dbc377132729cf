import type { SandboxDatabase } from './dependencies.ts';
import { columnsOf, databaseJson } from './json.ts';

/** What a document is; those of one kind have ids of one sort. */
export type DocumentKind = 'access_token' | 'setup_token' | 'transaction_context' | 'signing_key' | 'fault';

export interface SandboxDocument {
  readonly kind: DocumentKind;
  readonly id: string;
  /** Empty for what belongs to no merchant account. */
  readonly merchantAccount: string;
  readonly body: unknown;
  readonly at: Date;
}

/** Writes a document unless one with its id is there. @returns whether it was written */
export const keepDocument = (database: SandboxDatabase, document: SandboxDocument): Promise<boolean> =>
  write(database, document, 'do nothing');

/** Writes a document in the place of one with its id that is so old, in milliseconds. @returns whether it was written */
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

/** @param merchantAccount null where the id alone says whose it is */
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
