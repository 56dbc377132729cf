import type { Queryable } from '../store/database.ts';
import type { OperationKind } from './operation.ts';
import { isFree } from './sql.ts';
import type { Row } from './store.ts';

/**
 * Locks a subject's open operation until the transaction ends, even one that a process works on.
 * @param now real time
 * @returns its kind, and whether nobody works on it; undefined if none is open
 */
export async function lockOperation(
  tx: Queryable,
  row: Row,
  now: Date,
): Promise<{ readonly kind: OperationKind; readonly free: boolean } | undefined> {
  const [open] = await tx.query<{ kind: OperationKind; free: boolean }>({
    name: 'lock_operation',
    text: `select o.kind, ${isFree('$3')} as free from operations o
           where o.tenant = $1 and o.subject = $2 for update of o`,
    values: [row.tenant, row.id, now],
    scope: row,
  });
  return open;
}
