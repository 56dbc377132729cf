import { fastifyCookie } from '@fastify/cookie';
import type { DashboardOperation } from '@till/contract/dashboard';
import type { Replica } from '../store/standby/replica.ts';

/** The operations whose answer may be some seconds old: search, lists, figures and exports. All others read from the primary. */
const operations: ReadonlySet<string> = new Set([
  'search',
  'listPayments',
  'exportPayments',
  'listRefunds',
  'listCustomers',
  'exportRefunds',
  'listPaymentLinks',
  'exportPaymentLinks',
  'listDisputes',
  'exportDisputes',
  'retrieveLedger',
  'exportLedger',
  'listPayouts',
  'exportPayouts',
  'retrieveKeyFigures',
  'retrieveCharts',
  'listEventLines',
  'listRequestLogs',
  'listDeliveries',
  'listMails',
  'listAuditEntries',
]);

/** Whether an operation may be answered from a replica. */
export const mayReadReplica = ({ id }: Pick<DashboardOperation, 'id'>): boolean => operations.has(id);

/** The header with the maximum age of an answer in seconds; absent if the primary was read. */
export const ageHeader = 'till-data-age';

export type ReplicaReads = Pick<Replica, 'lagMs' | 'maxLagMs'>;

const cookie = 'till_changed';

/** The maximum age in seconds of an answer that is read from a replica; undefined if the primary must be read. */
export function replicaAge(
  elsewhere: ReplicaReads | undefined,
  header: string | undefined,
): number | undefined {
  const lagMs = elsewhere?.lagMs();
  if (lagMs === undefined || fastifyCookie.parse(header ?? '')[cookie] !== undefined) return undefined;
  return Math.ceil(lagMs / 1000);
}

/**
 * The value of `Set-Cookie` for the answer to a change. While the browser sends this cookie, the primary is read, so
 * that people see their own changes; by the time it expires, every replica that may be read has them. Needs no state
 * shared by processes.
 */
export const changedCookie = ({ maxLagMs }: ReplicaReads, isSecure: boolean): string =>
  fastifyCookie.serialize(cookie, '1', {
    path: '/dashboard/api',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    maxAge: Math.ceil(maxLagMs / 1000) + 1,
  });
