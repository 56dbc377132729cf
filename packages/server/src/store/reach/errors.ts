import pg from 'pg';

/** The five-character SQLSTATE of a database error, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** No server of the database takes writes at the moment. */
export class NoLeaderError extends Error {}

/** The only server that takes writes is of an earlier timeline than one that led before: commits may be missing there. */
export class EarlierTimelineError extends NoLeaderError {}

/** The server is a standby, or no longer the leader that it was. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === '25006';

/** True where the server refused a statement and goes on to serve the connection as it should. */
export const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isReadOnly(error);

/** The name of the constraint that a database error broke. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** True where the statement itself was refused, so that nothing of it was kept and others may still succeed. */
export function isRefusedByData(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state !== undefined && (['21', '22', '23', '40', '44'].includes(state.slice(0, 2)) || isMoving(state))
  );
}

/** What the trigger on the tables of an account that is being moved raises: nothing was kept, and it works again soon. */
const isMoving = (state: string | undefined) => state === 'TM001';

/**
 * The account of which a statement was refused because it is being moved; undefined for every other error. Of several
 * errors, that of the first where all are of this kind.
 */
export function accountOnItsWay(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return isMoving(error.code) ? (error.detail ?? '') : undefined;
  if (!(error instanceof AggregateError)) return undefined;
  const accounts = error.errors.map(accountOnItsWay);
  return accounts.every((account) => account !== undefined) ? accounts[0] : undefined;
}

/** The account of which a statement was refused because it is just being handed over, and may stay where it is. */
export const fencedAccount = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && isMoving(error.code) && error.hint === 'fenced'
    ? error.detail
    : undefined;

const stopped = '57014';
const noConnectionFree = /timeout exceeded when trying to connect/i;

/**
 * Why reading was given up though the database is there: the statement took longer than `statementMs`, or so many
 * others ran that none of the pool's connections came free.
 */
export function whyTooLong(error: unknown): 'statement' | 'waiting' | undefined {
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
  // Of a host with several addresses, each error for itself.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return networkErrors.has((error as NodeJS.ErrnoException).code ?? '');
}

const untrusted =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_|ERR_SSL_)/;

/** True where a connection is refused: wrong user, password or database, or a certificate that is not trusted, as after one of them changed. */
export function isConnectionRefused(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return ['28', '3D'].includes(state.slice(0, 2));
  if (!(error instanceof Error)) return false;
  return (
    untrusted.test(String((error as NodeJS.ErrnoException).code)) ||
    /does not support SSL/.test(error.message)
  );
}

/** True where the database could not be reached or went away: the caller answers 503, not 500. */
export function isUnavailable(error: unknown): boolean {
  if (isConnectionRefused(error)) return true;
  const state = sqlState(error);
  if (state === undefined) return isUnreachable(error) || whyTooLong(error) === 'waiting';
  return ['08', '53', '57', '58'].includes(state.slice(0, 2)) || isReadOnly(error) || isMoving(state);
}

/** True where the server itself is gone, rather than short of something or slow with one statement. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return isUnreachable(error);
  return state.startsWith('08') || /^57P0[1-5]$/.test(state) || isReadOnly(error);
}
