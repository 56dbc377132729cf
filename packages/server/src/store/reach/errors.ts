import pg from 'pg';

/** The five-character SQLSTATE of a database error, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** No server of the database currently accepts writes. */
export class NoLeaderError extends Error {}

/** The only server that accepts writes has an earlier timeline than a previous leader: commits may be missing there. */
export class EarlierTimelineError extends NoLeaderError {}

/** True if the server is a standby, or is no longer the leader. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === '25006';

/** True if the server refused a statement, but the connection remains usable. */
export const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isReadOnly(error);

/** The name of the constraint that a statement violated. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** True if the statement itself was refused, so that it had no effect and other statements may still succeed. */
export function isRefusedByData(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state !== undefined && (['21', '22', '23', '40', '44'].includes(state.slice(0, 2)) || isMoving(state))
  );
}

/** The error that a trigger raises for writes of an account that is being moved: they have no effect, and soon work again. */
const isMoving = (state: string | undefined) => state === 'TM001';

/**
 * The account whose statement was refused because the account is being moved; undefined for every other error. For an
 * AggregateError, the account of the first error if all errors are of this kind.
 */
export function movingAccount(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return isMoving(error.code) ? (error.detail ?? '') : undefined;
  if (!(error instanceof AggregateError)) return undefined;
  const accounts = error.errors.map(movingAccount);
  return accounts.every((account) => account !== undefined) ? accounts[0] : undefined;
}

/** The account whose statement was refused during its handover to another cell; the account may still stay where it is. */
export const fencedAccount = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && isMoving(error.code) && error.hint === 'fenced'
    ? error.detail
    : undefined;

const stopped = '57014';
const noConnectionFree = /timeout exceeded when trying to connect/i;

/**
 * Why a statement timed out although the database is reachable: it took longer than `statementMs` (`statement`), or none of the
 * pool's connections became free in time (`waiting`).
 */
export function timeoutKind(error: unknown): 'statement' | 'waiting' | undefined {
  if (sqlState(error) === stopped) return 'statement';
  return error instanceof Error && noConnectionFree.test(error.message) ? 'waiting' : undefined;
}

const networkErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EACCES',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const lost =
  /connection terminated|connection timeout|query read timeout|client has encountered a connection error|rolled back at commit/i;

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoLeaderError || lost.test(error.message)) return true;
  // A host with several addresses fails with one error per address.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return networkErrors.has((error as NodeJS.ErrnoException).code ?? '');
}

const untrusted =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_|ERR_SSL_)/;

/** True if a connection is refused: wrong user, password or database, or an untrusted certificate, e.g. after one was changed. */
export function isConnectionRefused(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return ['28', '3D'].includes(state.slice(0, 2));
  if (!(error instanceof Error)) return false;
  return (
    untrusted.test(String((error as NodeJS.ErrnoException).code)) ||
    /does not support SSL/.test(error.message)
  );
}

/** True if the database is unreachable, went away or cannot serve now: the caller answers 503, not 500. */
export function isUnavailable(error: unknown): boolean {
  if (isConnectionRefused(error)) return true;
  const state = sqlState(error);
  if (state === undefined) return isUnreachable(error) || timeoutKind(error) === 'waiting';
  return ['08', '53', '57', '58'].includes(state.slice(0, 2)) || isReadOnly(error) || isMoving(state);
}

/** True if the server itself is gone, rather than short of a resource or slow with one statement. */
export function isServerGone(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return isUnreachable(error);
  return state.startsWith('08') || /^57P0[1-5]$/.test(state) || isReadOnly(error);
}
