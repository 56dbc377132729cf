import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { messageOf } from '../text/message-of.ts';
import { activeSpan } from '../tracing/span.ts';
import { scrubCardNumbers } from './scrub.ts';

/** The only fields that a log line may have. All others are dropped, so that a request body can never slip in. */
const fieldNames = [
  'request_id',
  'account',
  'cell',
  'livemode',
  'payment',
  'refund',
  'payment_method',
  'dispute',
  'approval',
  'delivery',
  'endpoint',
  'route',
  'method',
  'status',
  'code',
  'ms',
  'processor',
  'origin',
  'scope',
  'operation',
  'outcome',
  'upstream_reference',
  'error',
  'stack',
  'detail',
  'address',
  'migrations',
  'count',
  'pid',
  'trace_id',
  'span_id',
] as const;

export type LogFieldName = (typeof fieldNames)[number];

const allowed: ReadonlySet<string> = new Set(fieldNames);

/** The key under which the fields of an error hold the error itself. It never appears in a line. */
const thrown = Symbol('thrown');

/** The fields of a line. The type accepts only allowed names, because any other field would be missing in the line. */
export type LogFields = {
  readonly [name in LogFieldName]?: string | number | boolean | null | undefined;
} & { readonly [thrown]?: unknown };

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Every request writes a line through this function, so it builds no list of entries. The fields are plain objects. */
function allowedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name in fields) if (allowed.has(name)) shown[name] = fields[name];
  return shown;
}

/** Returns a function that formats the current time for a line. All lines of a millisecond share one formatted text. */
function timeMember(): () => string {
  let writtenAt = 0;
  let member = '';
  return () => {
    const now = Date.now();
    if (now !== writtenAt) {
      writtenAt = now;
      member = `,"time":"${new Date(now).toISOString()}"`;
    }
    return member;
  };
}

/**
 * Creates a log of JSON lines with time, level, msg and the allowed fields. As the last step, it masks any card number in a line.
 * @param write takes one finished line
 */
export function createLogger(level: string, write: (line: string) => void): Logger {
  const destination: DestinationStream = { write: (line) => write(scrubCardNumbers(line)) };
  const log: Pino = pino(
    {
      level,
      base: null,
      timestamp: timeMember(),
      formatters: {
        level: (label) => ({ level: label }),
        log: allowedFields,
      },
    },
    destination,
  );
  return {
    debug: (message, fields) => log.debug(withTraceIds(fields), message),
    info: (message, fields) => log.info(withTraceIds(fields), message),
    warn: (message, fields) => log.warn(withTraceIds(fields), message),
    error: (message, fields) => log.error(withTraceIds(fields), message),
  };
}

/** Adds the ids of the active span to the fields of a line, if that span is recorded. */
function withTraceIds(fields: LogFields = {}): LogFields {
  const span = activeSpan();
  return span === undefined ? fields : { trace_id: span.traceId, span_id: span.spanId, ...fields };
}

/** The log fields for a thrown value: its message and stack, without the other values that it may hold. */
export function describeError(error: unknown): LogFields {
  return error instanceof Error
    ? {
        error: `${error.name}: ${messageOf(error)}`,
        stack: error.stack?.split('\n').slice(1, 6).join('\n'),
        [thrown]: error,
      }
    : { error: String(error), [thrown]: error };
}

/** A log that adds these fields to every line. */
export const logWith = (log: Logger, more: LogFields): Logger => ({
  debug: (message, fields) => log.debug(message, { ...more, ...fields }),
  info: (message, fields) => log.info(message, { ...more, ...fields }),
  warn: (message, fields) => log.warn(message, { ...more, ...fields }),
  error: (message, fields) => log.error(message, { ...more, ...fields }),
});

/** A log that suppresses warnings and errors about a thrown value that another line already explains. */
export function withoutExplained(log: Logger, isExplained: (error: unknown) => boolean): Logger {
  const isQuiet = (fields?: LogFields) => fields?.[thrown] !== undefined && isExplained(fields[thrown]);
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => isQuiet(fields) || log.warn(message, fields),
    error: (message, fields) => isQuiet(fields) || log.error(message, fields),
  };
}
