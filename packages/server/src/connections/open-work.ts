import { openDisputes } from '../disputes/sql.ts';
import { retryOperations } from '../operations/due.ts';
import { keptMethods } from '../payment-methods/sql.ts';
import { openPayments } from '../payments/sql.ts';
import { retryNotifications } from '../processor-notifications/reads.ts';
import { openRefunds } from '../refunds/reads.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** Counts of the objects that are open with one merchant account at the processor, and that only this account can complete. */
export interface OpenWork {
  readonly holds: number;
  readonly payments_waiting_for_the_buyer: number;
  readonly payments_in_doubt: number;
  readonly refunds_pending: number;
  readonly disputes_open: number;
  readonly saved_methods: number;
}

/** Counts open work. @param identity of the merchant account; rows older than the identity column count as its own */
export async function openWorkAt(db: Queryable, tenant: Tenant, identity: string): Promise<OpenWork> {
  const own = (alias: string) => `(${alias}.processor_identity is null or ${alias}.processor_identity = $2)`;
  const counts: Record<keyof OpenWork, string> = {
    ...openPayments(own),
    ...openRefunds(own),
    ...openDisputes(own),
    ...keptMethods(own),
  };
  const kinds = Object.entries(counts);
  const [row] = await db.query<OpenWork>({
    text: `select ${kinds.map(([name, count]) => `${count} as ${name}`).join(', ')}`,
    values: [tenant.tenant, identity],
    scope: tenant,
  });
  if (row === undefined) throw new Error('counting gives one row');
  return row;
}

const nouns: Readonly<Record<keyof OpenWork, readonly [one: string, more: string]>> = {
  holds: ['hold', 'holds'],
  payments_waiting_for_the_buyer: ['payment that waits for its buyer', 'payments that wait for their buyers'],
  payments_in_doubt: ['operation without an answer', 'operations without an answer'],
  refunds_pending: ['pending refund', 'pending refunds'],
  disputes_open: ['open dispute', 'open disputes'],
  saved_methods: ['saved method', 'saved methods'],
};

/** Describes open work, e.g. `1 hold, 2 pending refunds`; null if there is none. */
export function describeOpenWork(open: OpenWork): string | null {
  const parts = Object.entries(nouns).flatMap(([name, [one, more]]) => {
    const count = open[name as keyof OpenWork];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

/**
 * Retries soon everything that waits for its processor, because it may have waited for exactly these credentials.
 * @param at real time at which every process knows the credentials
 */
export async function retryOpenWork(tx: Queryable, tenant: Tenant, at: Date): Promise<void> {
  await retryOperations(tx, tenant, at);
  await retryNotifications(tx, tenant, at);
}
