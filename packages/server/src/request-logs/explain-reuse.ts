import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { type Comparison, compareBodies } from './differences.ts';
import { findFirstUse, type LogRow } from './reads.ts';

/** Why a request was refused with `key_reused`. */
export interface Reuse extends Comparison {
  /** The request that used the key first; null if it is not in the log. */
  readonly first: { readonly id: string; readonly at: Date } | null;
}

/**
 * Compares a request that was refused with `key_reused` to the first request with its key.
 * @returns null for any other request
 */
export async function explainReuse(db: Queryable, tenant: Tenant, row: LogRow): Promise<Reuse | null> {
  if (row.code !== 'key_reused') return null;
  const first = await findFirstUse(db, tenant, row);
  if (first === undefined) return { first: null, differences: [], unknown: [] };
  return {
    first: { id: first.id, at: first.at },
    ...compareBodies(bodyOf(first), bodyOf(row)),
  };
}

const bodyOf = ({ request_body: text }: LogRow): unknown => (text === null ? {} : JSON.parse(text));
