import type { Operation } from '@till/contract';
import { cardNumberIn } from '../lib/text/digits.ts';
import type { BufferedRequest } from './answered.ts';
import { redactAnswer, redactRequest } from './redact-body.ts';
import { redactText } from './redact-text.ts';
import type { BodyNote, LogEntry } from './row.ts';

/** Approximate maximum of the stored part of each body, in characters. */
const maxKept = 4000;
const maxPathLength = 300;
const maxQueryLength = 1000;
const hintLength = 4;

/** A deterministic keyed hash that reveals nothing about the text. */
export type Hash = (text: string) => string;

/** Converts a request to its log entry, without anything that must not be stored. Does no I/O. */
export function toEntry(request: BufferedRequest, hash: Hash): LogEntry {
  const { operation } = request;
  const key = operation.idempotency === 'unused' ? null : request.idempotencyKey;
  const [path, query] = splitOnce(request.url);
  const sent = keptRequest(request);
  const answered = keptAnswer(request);
  return {
    tenant: request.tenant,
    id: request.id,
    at: timeOf(request.id),
    method: operation.method,
    route: operation.path,
    path: cut(onOneLine(redactText(decode(path))), maxPathLength),
    query: query === '' ? null : keptQuery(operation, query),
    status: request.status,
    code: request.code,
    duration_ms: Math.round(request.durationMs),
    key_id: request.keyId,
    ip: request.ip,
    idempotency_hash:
      key === null ? null : hash(`${operation.method} ${path.replace(/\/$/, '')} ${key}`).slice(0, 32),
    idempotency_hint: key === null ? null : redactText(key).slice(-hintLength),
    replayed: request.replayed,
    ...objectIds(path, sent.value, answered.value),
    request_body: sent.value === null ? null : JSON.stringify(sent.value),
    request_note: sent.note,
    request_bytes: request.bodyBytes,
    answer_body: answered.value === null ? null : JSON.stringify(answered.value),
    answer_note: answered.note,
    answer_bytes: request.answerBytes,
    warnings: request.warnings.length === 0 ? null : JSON.stringify(request.warnings),
  };
}

/** The time in an id: ids begin with the time at which they were made. */
export const timeOf = (id: string): Date =>
  new Date(Number.parseInt(id.slice(id.indexOf('_') + 1).slice(0, 8), 36));

interface Kept<Note> {
  readonly value: object | null;
  readonly note: Note | null;
}

function keptRequest({ operation, body, bodyBytes }: BufferedRequest): Kept<BodyNote> {
  if (operation.upload !== undefined) return { value: null, note: 'file' };
  if (bodyBytes === 0) return { value: null, note: null };
  if (operation.body === undefined) return { value: null, note: 'unused' };
  if (body === null) return { value: null, note: 'too_large' };
  const parsed = parse(body.toString('utf8'));
  // A card number in invalid JSON cannot be located and redacted, so nothing of the body is stored.
  if (parsed === undefined || Array.isArray(parsed)) return { value: null, note: 'not_json' };
  const { cardNumberField: field } = operation;
  const number = field === undefined ? undefined : cardNumberIn(parsed, field);
  return { value: redactRequest(parsed, operation.body, maxKept, number) as object, note: null };
}

function keptAnswer({ answer, answerBytes }: BufferedRequest): Kept<'not_json' | 'too_large'> {
  if (answerBytes === 0) return { value: null, note: null };
  if (answer === null) return { value: null, note: 'too_large' };
  const parsed = parse(answer);
  if (parsed === undefined) return { value: null, note: 'not_json' };
  return { value: redactAnswer(parsed, maxKept) as object, note: null };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The stored query. For parameters that the operation does not know, it contains only the names. */
function keptQuery({ query: schema }: Operation, text: string): string {
  const known: object =
    schema === undefined ? {} : ((schema as { readonly properties?: object }).properties ?? {});
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text)) {
    kept.append(redactText(name), Object.hasOwn(known, name) ? redactText(value) : '[not kept]');
  }
  return cut(onOneLine(decode(kept.toString())), maxQueryLength);
}

const kinds = { pay: 'payment_id', re: 'refund_id', cus: 'customer_id' } as const;

/** The ids of the payment, refund and customer that path and bodies name. The response takes precedence. */
function objectIds(path: string, sent: object | null, answered: object | null) {
  const ids = { payment_id: null, refund_id: null, customer_id: null } as Record<
    (typeof kinds)[keyof typeof kinds],
    string | null
  >;
  const named = [answered, sent].flatMap((body) => {
    const { id, payment, customer } = (body ?? {}) as Record<string, unknown>;
    return [id, payment, customer, (customer as { id?: unknown } | null | undefined)?.id];
  });
  for (const value of [...named, ...path.split('/')]) {
    const [, kind] = typeof value === 'string' ? (/^(pay|re|cus)_[a-z0-9]{24}$/.exec(value) ?? []) : [];
    if (kind !== undefined) ids[kinds[kind as keyof typeof kinds]] ??= value as string;
  }
  return ids;
}

/** Replaces control characters, which could move the cursor of a terminal. */
const onOneLine = (text: string) => text.replaceAll(/\p{Cc}/gu, '\ufffd');

/** Truncates text. Replaces a surrogate pair that is cut in half, which the database does not accept. */
const cut = (text: string, max: number) => text.slice(0, max).toWellFormed();

function splitOnce(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Decodes percent escapes, which could hide a card number. If one is invalid, drops everything from the first escape on. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replace(/%.*$/s, '…');
  }
}
