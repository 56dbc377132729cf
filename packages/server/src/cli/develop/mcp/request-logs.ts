import { ApiError, type Provider } from '@till/contract';
import { OperatorError } from '../../../accounts/accounts.ts';
import { Authenticator } from '../../../api-keys/authenticate.ts';
import { isoSeconds, systemClock } from '../../../lib/clock.ts';
import { findRequest, type LogLine, listRequests, warningsOf } from '../../../request-logs/reads.ts';
import type { Database } from '../../../store/database.ts';
import type { Tenant } from '../../../store/tenant.ts';
import { withDatabase } from '../../lib/connect.ts';
import type { Shell } from '../../lib/output.ts';
import type { Arguments } from './protocol.ts';

const shown = (line: LogLine) => ({
  id: line.id,
  time: isoSeconds(line.at),
  method: line.method,
  path: line.path,
  query: line.query,
  status: line.status,
  code: line.code,
  ms: line.duration_ms,
  payment: line.payment_id,
  replayed: line.replayed,
});

interface Account extends Tenant {
  readonly processor: Provider;
  /** False for a restricted key, which may not read the log: the log has the requests of every key of the account. */
  readonly isFull: boolean;
}

/**
 * Reads the request log of the account and mode that a key belongs to. The log is not part of the merchant API, so it is read
 * from the database. Every call checks the key as the API does.
 */
export function requestLogs(shell: Shell, apiKey: string) {
  const onLog = <T>(work: (db: Database, tenant: Account) => Promise<T>): Promise<T> =>
    withDatabase(shell, async ({ db }) => {
      const { caller } = await new Authenticator(db, systemClock.now)
        .authenticate(apiKey)
        .catch((error: unknown) => {
          throw error instanceof ApiError ? new OperatorError(error.code, error.message) : error;
        });
      const { tenant, accountId, livemode, processor, restriction } = caller;
      return work(db, { tenant, accountId, livemode, processor, isFull: restriction === null });
    });
  const onOpenLog: typeof onLog = (work) =>
    onLog(async (db, account) => {
      if (account.isFull) return work(db, account);
      throw new OperatorError('insufficient_scope', 'A restricted key sees no request log.');
    });
  const optional = (value: string | number | undefined) => (value === undefined ? undefined : String(value));
  return {
    /** The account of the key; undefined if the database cannot be reached or the key is not valid. */
    account: (): Promise<Account | undefined> => onLog(async (_db, tenant) => tenant).catch(() => undefined),
    search: (args: Arguments) =>
      onOpenLog(async (db, tenant) => {
        const filter = {
          statusClass: args.status === undefined ? undefined : Number(String(args.status)[0]),
          code: optional(args.code),
          paymentId: optional(args.payment),
        };
        const page = { page: 1, perPage: Number(args.limit ?? 10) };
        const { rows, total } = await listRequests(db, tenant, filter, page);
        return { data: rows.map(shown), total_count: total };
      }),
    get: (id: string) =>
      onOpenLog(async (db, tenant) => {
        const row = await findRequest(db, tenant, id);
        if (row === undefined) {
          throw new OperatorError('request_not_found', `There is no request ${id.slice(0, 100)} in the log.`);
        }
        const body = (json: string | null) => (json === null ? null : (JSON.parse(json) as unknown));
        return {
          ...shown(row),
          request_note: row.request_note,
          request_body: body(row.request_body),
          answer_note: row.answer_note,
          answer_body: body(row.answer_body),
          warnings: warningsOf(row),
        };
      }),
  };
}
