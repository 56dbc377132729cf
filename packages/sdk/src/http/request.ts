import type { OperationShapes } from '../generated/operation-shapes.ts';
import { operations } from '../generated/operations.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

export type OperationId = keyof typeof operations;

/** The input of an operation beside the options of the call. */
export type Input<Id extends OperationId> = Pick<
  OperationShapes[Id],
  Extract<keyof OperationShapes[Id], 'path'>
> & {
  readonly [Part in Extract<keyof OperationShapes[Id], 'query' | 'body'>]?:
    | OperationShapes[Id][Part]
    | undefined;
} & { readonly form?: FormData | undefined };

/** One call as it is sent, the same at every attempt. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | FormData | undefined;
  readonly idempotencyKey: string | undefined;
  /** Safe to repeat after an attempt with an unknown outcome. */
  readonly isRepeatable: boolean;
}

/** Not protected by an idempotency key, and not idempotent by themselves. */
const adding: ReadonlySet<OperationId> = new Set<OperationId>(['advanceClock', 'openTestDispute']);

/** @throws TypeError for an empty id, which would be another address */
function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value: unknown = values[name];
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
    throw new TypeError(`An id is missing: ${template} needs ${name}.`);
  });
}

/** @throws TypeError for a filter that is null, as an id that is not known may be: without it everything would be listed */
function queryText(query: object): string {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === null) throw new TypeError(`${name} is null: give it a value, or leave it out.`);
    return value === undefined ? [] : [[name, String(value)]];
  });
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function readIdempotencyKey(key: unknown): string {
  // An object would be the same text for every order.
  if (typeof key === 'string' && /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be a string of 1 to 255 printable ASCII characters.');
}

/**
 * The request of a call. The idempotency key is generated here, once, so that every attempt sends the same.
 * @throws TypeError for what cannot be sent
 */
export function buildRequest<Id extends OperationId>(
  settings: Settings,
  id: Id,
  input: Input<Id>,
  idempotencyKey?: string,
): Request {
  const { method, path: template, idempotency } = operations[id];
  const given: { path?: Record<string, string>; query?: object; body?: object; form?: FormData | undefined } =
    input;
  const path = fillPath(template, given.path ?? {});
  const takesKey = idempotency !== 'unused';
  // Null is a key that was never stored: a generated one in its place would let a repeat charge again.
  const chosen = () => (idempotencyKey === undefined ? settings.newIdempotencyKey() : idempotencyKey);
  const key = takesKey ? readIdempotencyKey(chosen()) : undefined;
  const body = given.form ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
  return {
    method,
    path,
    url: `${settings.baseUrl}${path}${queryText(given.query ?? {})}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${settings.apiKey}`,
      'user-agent': `till-node/${version}`,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body,
    idempotencyKey: key,
    isRepeatable: !adding.has(id),
  };
}
