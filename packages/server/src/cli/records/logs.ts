import { type Command, InvalidArgumentError } from 'commander';
import { modesOf, OperatorError, requireAccount } from '../../accounts/accounts.ts';
import type { AccountRow } from '../../accounts/store.ts';
import { isoSeconds, systemClock } from '../../lib/clock.ts';
import { explainReuse } from '../../request-logs/explain-reuse.ts';
import {
  findRequestOfAnyTenant,
  type LogFilter,
  type LogLine,
  type LogPlace,
  type LogRow,
  listRequests,
  placesInLogs,
  requestsBetween,
  warningsOf,
} from '../../request-logs/reads.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { inAllCellsAtOnce, withDatabase } from '../lib/connect.ts';
import { endSignals } from '../lib/end-signals.ts';
import { report, type Shell } from '../lib/output.ts';

const pollIntervalMs = 1000;
const maxAtOnce = 1000;

/** Parses a class of statuses: `4xx` gives 4. */
function statusClass(text: string): number {
  if (!/^[1-5]xx$/i.test(text)) throw new InvalidArgumentError('a class of statuses such as 4xx');
  return Number(text[0]);
}

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maxAtOnce) {
    throw new InvalidArgumentError(`a whole number from 0 to ${maxAtOnce}`);
  }
  return value;
}

/** A line of the list with its account and mode. */
type Line = LogLine & Tenant;

const lineOf = (line: Line) => ({
  id: line.id,
  time: isoSeconds(line.at),
  status: line.status,
  method: line.method,
  path: line.path,
  query: line.query,
  code: line.code,
  ms: line.duration_ms,
  account: line.accountId,
  livemode: line.livemode,
  key: line.key_id,
  replayed: line.replayed,
  payment: line.payment_id,
});

function printed(line: Line, json: boolean): string {
  const shown = lineOf(line);
  if (json) return JSON.stringify(shown);
  const { time, status, method, path, query, code, ms, id, account, replayed } = shown;
  const address = query === null ? path : `${path}?${query}`;
  const note = [code, replayed ? 'replay' : null].filter((part) => part !== null).join(' ');
  return [time, status, method.padEnd(6), address, note, `${ms} ms`, id, account].filter(Boolean).join('  ');
}

interface TailOptions {
  readonly account?: string;
  readonly status?: number;
  readonly limit: number;
  readonly follow: boolean;
}

const lineAt = ({ tenant, accountId, livemode }: Tenant, line: LogLine): Line => ({
  ...line,
  tenant,
  accountId,
  livemode,
});

/** The newest requests up to these positions in the log, oldest first. */
async function newest(db: Database, places: readonly LogPlace[], filter: LogFilter, max: number) {
  if (max === 0) return [];
  const pages = await Promise.all(
    places.map(async (place) => {
      const { rows } = await listRequests(db, place, filter, { page: 1, perPage: max });
      return rows.map((row) => lineAt(place, row));
    }),
  );
  const lines = pages.flat();
  return lines.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(-max);
}

async function tail(
  db: Database,
  account: AccountRow | null,
  options: Omit<TailOptions, 'account'>,
  print: (line: Line) => void,
  signal: AbortSignal,
): Promise<void> {
  const filter = { statusClass: options.status };
  const tenants = account && modesOf(account);
  const places = await placesInLogs(db, tenants);
  const seen = new Map(places.map(({ tenant, last }) => [tenant, last]));
  for (const line of await newest(db, places, filter, options.limit)) print(line);
  while (options.follow && !signal.aborted) {
    await systemClock.delay(pollIntervalMs, signal);
    for (const place of await placesInLogs(db, tenants)) {
      let from = seen.get(place.tenant) ?? 0;
      while (from < place.last) {
        const to = Math.min(place.last, from + maxAtOnce);
        for (const line of await requestsBetween(db, place, { from, to }, filter)) print(lineAt(place, line));
        from = to;
      }
      seen.set(place.tenant, place.last);
    }
  }
}

/** One request for printing. Bodies are parsed, so that they are printed as JSON and not as a string. */
async function whole(db: Database, row: LogRow & Tenant): Promise<object> {
  const body = (text: string | null) => (text === null ? null : (JSON.parse(text) as unknown));
  const reuse = await explainReuse(db, row, row);
  return {
    ...lineOf(row),
    ip: row.ip,
    refund: row.refund_id,
    customer: row.customer_id,
    idempotency_key: row.idempotency_hint === null ? null : `…${row.idempotency_hint}`,
    request_bytes: row.request_bytes,
    request_note: row.request_note,
    request_body: body(row.request_body),
    answer_bytes: row.answer_bytes,
    answer_note: row.answer_note,
    answer_body: body(row.answer_body),
    warnings: warningsOf(row),
    ...(reuse === null ? {} : { key_reused: reuse }),
  };
}

export function logCommands(program: Command, shell: Shell): void {
  const logs = program.command('logs').description('requests of the last 30 days, without card data');
  logs
    .command('tail')
    .description('the newest requests, and then each as it is answered')
    .option('--account <id>', 'default: all accounts')
    .option('--status <class>', '2xx, 4xx or 5xx', statusClass)
    .option('--limit <n>', 'how many to begin with', limit, 20)
    .option('--no-follow', 'end after these')
    .action(function (this: Command, options: TailOptions) {
      const json = this.optsWithGlobals<{ json?: boolean }>().json === true;
      const ended = new AbortController();
      for (const name of endSignals) process.once(name, () => ended.abort());
      const print = (line: Line) => shell.out(printed(line, json));
      return report(this, shell, () =>
        options.account === undefined
          ? inAllCellsAtOnce(shell, ({ db }) => tail(db, null, options, print, ended.signal))
          : withDatabase(shell, async (deps) => {
              const account = await requireAccount(deps, options.account ?? '');
              await tail(deps.db, account, options, print, ended.signal);
              return undefined;
            }),
      );
    });
  logs
    .command('get')
    .description('one request with its bodies')
    .argument('<request-id>', 'the Service-Request-Id of its answer')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        withDatabase(shell, async ({ db }) => {
          const row = await findRequestOfAnyTenant(db, id);
          if (row === undefined) {
            throw new OperatorError(
              'request_not_found',
              `There is no request ${id.slice(0, 100)} in the log.`,
            );
          }
          return whole(db, row);
        }),
      );
    });
}
