import type { Operation } from '@till/contract';
import { cardNumberIn } from '../lib/text/digits.ts';
import type { HeldRequest } from './answered.ts';
import { redactAnswer, redactRequest } from './redact-body.ts';
import { redactText } from './redact-text.ts';
import type { BodyNote, LogEntry } from './row.ts';

/** What is kept of each body, in characters. */
const maxKept = 4000;
const maxPathLength = 300;
const maxQueryLength = 1000;
const hintLength = 4;

/** Makes a name that reveals nothing of the text and is always the same for it. */
export type Hash = (text: string) => string;

/** The request without anything that must not be stored. Reads no more than it is given. */
export function toEntry(request: HeldRequest, hash: Hash): LogEntry {
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

/** An id begins with its time. */
export const timeOf = (id: string): Date =>
  new Date(Number.parseInt(id.slice(id.indexOf('_') + 1).slice(0, 8), 36));

interface Kept<Note> {
  readonly value: object | null;
  readonly note: Note | null;
}

function keptRequest({ operation, body, bodyBytes }: HeldRequest): Kept<BodyNote> {
  if (operation.upload !== undefined) return { value: null, note: 'file' };
  if (bodyBytes === 0) return { value: null, note: null };
  if (operation.body === undefined) return { value: null, note: 'unused' };
  if (body === null) return { value: null, note: 'too_large' };
  const parsed = parse(body.toString('utf8'));
  // A card in broken JSON must not be found here: nothing says where it is.
  if (parsed === undefined || Array.isArray(parsed)) return { value: null, note: 'not_json' };
  const { cardNumberField: field } = operation;
  const number = field === undefined ? undefined : cardNumberIn(parsed, field);
  return { value: redactRequest(parsed, operation.body, maxKept, number) as object, note: null };
}

function keptAnswer({ answer, answerBytes }: HeldRequest): Kept<'not_json' | 'too_large'> {
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

/** Of parameters that the operation does not know only the names are kept. */
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

/** What the request was about, as far as path and bodies name it; the answer knows best. */
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

/** Without what would move the cursor of a terminal. */
const onOneLine = (text: string) => text.replaceAll(/\p{Cc}/gu, '\ufffd');

/** The database takes no half of a character. */
const cut = (text: string, max: number) => text.slice(0, max).toWellFormed();

function splitOnce(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Escapes could hide a card number; where one is broken, nothing after the first of them is kept. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replace(/%.*$/s, '…');
  }
}
