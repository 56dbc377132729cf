import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { isoSeconds, systemClock } from '../../lib/clock.ts';
import { explainReuse } from '../../request-logs/explain-reuse.ts';
import {
  type LogFilter,
  type LogLine,
  type LogPlace,
  type LogRow,
  listRequests,
  locateRequest,
  placesInLogs,
  requestsBetween,
  warningsOf,
} from '../../request-logs/reads.ts';
import type { Database } from '../../store/database.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

const lookEveryMs = 1000;
const mostAtOnce = 1000;

/** `4xx` as 4. */
function statusClass(text: string): number {
  if (!/^[1-5]xx$/i.test(text)) throw new InvalidArgumentError('2xx, 4xx or 5xx');
  return Number(text[0]);
}

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > mostAtOnce) throw new InvalidArgumentError(`0 to ${mostAtOnce}`);
  return value;
}

const lineOf = (line: LogLine) => ({
  id: line.id,
  time: isoSeconds(line.at),
  status: line.status,
  method: line.method,
  path: line.path,
  query: line.query,
  code: line.code,
  ms: line.duration_ms,
  account: line.account_id,
  livemode: line.livemode,
  key: line.key_id,
  replayed: line.replayed,
  payment: line.payment_id,
});

function printed(line: LogLine, json: boolean): string {
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

/** The newest requests before these places, oldest first. */
async function newest(db: Database, places: readonly LogPlace[], filter: LogFilter, most: number) {
  if (most === 0) return [];
  const pages = await Promise.all(
    places.map((place) => listRequests(db, place, filter, { page: 1, perPage: most })),
  );
  const lines = pages.flatMap(({ rows }) => rows);
  return lines.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(-most);
}

async function tail(
  db: Database,
  options: TailOptions,
  print: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const filter = { statusClass: options.status };
  const account = options.account ?? null;
  const name = ({ accountId, livemode }: LogPlace) => `${accountId} ${livemode}`;
  const places = await placesInLogs(db, account);
  const seen = new Map(places.map((place) => [name(place), place.last]));
  for (const line of await newest(db, places, filter, options.limit)) print(line);
  while (options.follow && !signal.aborted) {
    await systemClock.delay(lookEveryMs, signal);
    for (const place of await placesInLogs(db, account)) {
      let from = seen.get(name(place)) ?? 0;
      while (from < place.last) {
        const to = Math.min(place.last, from + mostAtOnce);
        for (const line of await requestsBetween(db, place, { from, to }, filter)) print(line);
        from = to;
      }
      seen.set(name(place), place.last);
    }
  }
}

/** Bodies as JSON, not as text of JSON. */
async function whole(db: Database, row: LogRow): Promise<object> {
  const body = (text: string | null) => (text === null ? null : (JSON.parse(text) as unknown));
  const reuse = await explainReuse(db, row);
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
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort());
      const print = (line: LogLine) => shell.out(printed(line, json));
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          if (options.account !== undefined) await requireAccount(deps, options.account);
          await tail(deps.db, options, print, ended.signal);
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
          const row = await locateRequest(db, id);
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
