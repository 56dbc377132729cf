import type { OperationShapes } from '../generated/operation-shapes.ts';
import { operations } from '../generated/operations.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

export type OperationId = keyof typeof operations;

/** The path parameters, query and body of an operation, without the options of the call. */
export type Input<Id extends OperationId> = Pick<
  OperationShapes[Id],
  Extract<keyof OperationShapes[Id], 'path'>
> & {
  readonly [Part in Extract<keyof OperationShapes[Id], 'query' | 'body'>]?:
    | OperationShapes[Id][Part]
    | undefined;
} & { readonly form?: FormData | undefined };

/** A request ready to be sent. Every attempt of a call sends the same one. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | FormData | undefined;
  readonly idempotencyKey: string | undefined;
  /** Whether the request may be sent again if the outcome of an earlier attempt is unknown. */
  readonly isRepeatable: boolean;
}

/** Operations that must not be repeated: they take no idempotency key, and each call has a further effect. */
const nonIdempotentOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  'advanceClock',
  'openTestDispute',
]);

/** @throws TypeError for an empty id, because the path would be that of another operation */
function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value: unknown = values[name];
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
    throw new TypeError(`An id is missing: ${template} needs ${name}.`);
  });
}

/**
 * Builds the query string.
 * @throws TypeError for a null value, such as the id of an unknown customer: without that filter the call
 *   would list everything
 */
function queryText(query: object): string {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === null) throw new TypeError(`${name} is null: give it a value, or leave it out.`);
    return value === undefined ? [] : [[name, String(value)]];
  });
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function readIdempotencyKey(key: unknown): string {
  // // An object would become the same string ("[object Object]") for every order.
  if (typeof key === 'string' && /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be a string of 1 to 255 printable ASCII characters.');
}

/**
 * Builds the request of a call. It generates the idempotency key once, so that every attempt sends the same
 * one.
 * @throws TypeError if the input cannot be sent
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
  // // Null may be a key that the caller failed to store. Replacing it by a generated one would let a repeat
  // charge again.
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
    isRepeatable: !nonIdempotentOperations.has(id),
  };
}
