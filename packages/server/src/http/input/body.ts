import { ApiError, invalidParam } from '@till/contract';
import { type FieldCodes, fieldError } from './field-error.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const maxDepth = 32;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Maps with keys of the merchant's choice: null values in them are kept and validated. */
const merchantMaps = new Set(['metadata', 'stc']);

/** The headers that describe the format of a body. */
export interface BodyHeaders {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/**
 * Reads a request body as a JSON object.
 * @throws ApiError `missing_field` if the body is anything else (decisions, "Order of checks", step 5)
 */
export function parseBody(raw: Buffer | undefined, headers: BodyHeaders): JsonObject {
  if (raw === undefined || raw.length === 0) return {};
  requirePlainJson(headers);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(raw));
  } catch {
    throw new ApiError('missing_field', 'The body is not valid JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('missing_field', 'The body must be a JSON object.');
  }
  return value as JsonObject;
}

/** The body as a JSON object, regardless of its headers; undefined if it is not a JSON object. */
function objectIn(raw: Buffer | undefined): JsonObject | undefined {
  try {
    return parseBody(raw, { 'content-type': 'application/json' });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The fingerprint input of a body that the operation ignores. Equal JSON objects are equal; no body equals an empty object. */
export const ignoredBody = (raw: Buffer | undefined): JsonObject =>
  objectIn(raw) ?? { raw: raw?.toString('base64') ?? '' };

/** The fields of a body that the operation ignores. */
export const ignoredBodyFields = (raw: Buffer | undefined): string[] => Object.keys(objectIn(raw) ?? {});

/** @throws ApiError `missing_field` if the headers announce anything but uncompressed JSON in UTF-8 */
function requirePlainJson(headers: BodyHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/json') {
    const sent = type === '' ? 'none was sent' : `${JSON.stringify(type.slice(0, 60))} was sent`;
    throw new ApiError(
      'missing_field',
      `The body must be JSON: send the header Content-Type: application/json; ${sent}.`,
    );
  }
  const charset = parameters.map((text) => /^charset\s*=\s*"?([^"]*)"?$/i.exec(text)?.[1]).find(Boolean);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ApiError(
      'missing_field',
      'The body must be JSON in UTF-8: send the header Content-Type: application/json, without another charset.',
    );
  }
  const encoding = headers['content-encoding']?.trim() ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new ApiError(
      'missing_field',
      'The body must be sent as it is: compressed bodies are not read, leave the header Content-Encoding out.',
    );
  }
}

const maxPathLength = 200;

/** A field's path, shortened for an error message: keys may be as long as the body. */
export const shownPath = (path: string): string =>
  path.length > maxPathLength ? `${path.slice(0, maxPathLength - 1)}…` : path;

function checkText(text: string, wholePath: string): void {
  const hasNul = text.includes('\0');
  if (!hasNul && text.isWellFormed()) return;
  const path = shownPath(wholePath.replaceAll('\0', '\u2400'));
  throw invalidParam(
    path,
    hasNul ? `${path} must not contain the character NUL.` : `${path} must be well-formed Unicode text.`,
  );
}

export interface BodyRules {
  /** Whether null has a meaning ("clear this field"): in all fields, or in the listed ones. */
  readonly keepsNull?: boolean | readonly string[] | undefined;
  /** Fields that are dropped, not refused, if they cannot be stored. */
  readonly lenientFields?: readonly string[] | undefined;
  readonly codes?: FieldCodes | undefined;
}

/**
 * Copies a body without its null fields, which count as absent unless the rules keep them. Checks every text for characters that
 * the database cannot store unchanged (NUL, lone surrogates).
 * @throws ApiError with the code of the field, naming the field's path
 */
export function cleanBody(body: JsonObject, { codes, ...rules }: BodyRules): JsonObject {
  try {
    return copyOf(body, rules);
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === undefined) throw error;
    throw fieldError(error.param, error.message, codes);
  }
}

function copyOf(
  body: JsonObject,
  { keepsNull = false, lenientFields = [] }: Omit<BodyRules, 'codes'>,
): JsonObject {
  const kept = Object.entries(body).filter(
    ([key, value]) => !lenientFields.includes(key) || isKeepable(value, key),
  );
  const copy = cleanObject(Object.fromEntries(kept), '', 0, keepsNull === true);
  if (typeof keepsNull === 'object') {
    for (const key of keepsNull) if (body[key] === null) copy[key] = null;
  }
  return copy;
}

function isKeepable(value: Json, path: string): boolean {
  try {
    cleanValue(value, path, 1, false);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function cleanObject(object: JsonObject, path: string, depth: number, keepsNull: boolean): JsonObject {
  const cleaned: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const inner = path === '' ? key : `${path}.${key}`;
    checkText(key, inner);
    if (value === null && !keepsNull) continue;
    const kept = cleanValue(value, inner, depth + 1, keepsNull || merchantMaps.has(key));
    // Assigning to `__proto__` would change the prototype instead of adding a field.
    if (key === '__proto__') define(cleaned, key, kept);
    else cleaned[key] = kept;
  }
  return cleaned;
}

function define(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function cleanValue(value: Json, path: string, depth: number, keepsNull: boolean): Json {
  if (depth > maxDepth) throw invalidParam(path.slice(0, 100), 'The body is nested too deeply.');
  if (typeof value === 'string') {
    checkText(value, path);
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => cleanValue(item, `${path}[${index}]`, depth + 1, keepsNull));
  }
  if (typeof value === 'object' && value !== null) return cleanObject(value, path, depth, keepsNull);
  return value;
}
