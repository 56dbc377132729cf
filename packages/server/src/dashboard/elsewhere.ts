import { fastifyCookie } from '@fastify/cookie';
import type { DashboardOperation } from '@till/contract/dashboard';
import type { Replica } from '../store/standby/replica.ts';

/** Search, lists, figures and exports: what may be some seconds old. Whatever else is read comes from the primary. */
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
export const mayLag = ({ id }: Pick<DashboardOperation, 'id'>): boolean => operations.has(id);

/** Says of an answer how many seconds old it is at most; absent where the primary was read. */
export const ageHeader = 'till-data-age';

export type Elsewhere = Pick<Replica, 'lagMs' | 'maxLagMs'>;

const cookie = 'till_changed';

/** How old an answer would be that is read elsewhere, in seconds; undefined where the primary is to be read. */
export function ageElsewhere(
  elsewhere: Elsewhere | undefined,
  header: string | undefined,
): number | undefined {
  const lagMs = elsewhere?.lagMs();
  if (lagMs === undefined || fastifyCookie.parse(header ?? '')[cookie] !== undefined) return undefined;
  return Math.ceil(lagMs / 1000);
}

/**
 * The value of `Set-Cookie` with the answer to a change. While the browser sends it the primary is read, so that nobody
 * misses what they have just done; afterwards no replica that is read lacks it. It works with any number of processes.
 */
export const changedCookie = ({ maxLagMs }: Elsewhere, isSecure: boolean): string =>
  fastifyCookie.serialize(cookie, '1', {
    path: '/dashboard/api',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    maxAge: Math.ceil(maxLagMs / 1000) + 1,
  });
