import { ApiError, invalidParam } from '@till/contract';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const deepest = 32;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Maps of the merchant's own keys: their values are checked as they are. */
const ownMaps = new Set(['metadata', 'stc']);

/**
 * Reads a request body as a JSON object.
 * @throws ApiError `missing_field` for anything that is not one (decisions, "Order of checks", step 5)
 */
export function parseBody(raw: Buffer | undefined, contentType: string | undefined): JsonObject {
  if (raw === undefined || raw.length === 0) return {};
  if (!/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw new ApiError(
      'missing_field',
      'The body must be JSON: send the header Content-Type: application/json.',
    );
  }
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

const longestPath = 200;

/** A field's path as an error names it: keys may be as long as the body. */
export const shownPath = (path: string): string =>
  path.length > longestPath ? `${path.slice(0, longestPath - 1)}…` : path;

function checkText(text: string, wholePath: string): void {
  const path = shownPath(wholePath);
  if (text.includes('\0')) throw invalidParam(path, `${path} must not contain the character NUL.`);
  if (!text.isWellFormed()) throw invalidParam(path, `${path} must be well-formed Unicode text.`);
}

/**
 * A copy of the body in which an optional field that is null counts as absent, after a check of every text in it for
 * what the database cannot keep unchanged (NUL, lone surrogates).
 * @param keepsNull true where null means something ("clear this field")
 * @throws ApiError `invalid_params` naming the path
 */
export function cleanBody(body: JsonObject, keepsNull: boolean): JsonObject {
  return cleanObject(body, '', 0, keepsNull);
}

function cleanObject(object: JsonObject, path: string, depth: number, keepsNull: boolean): JsonObject {
  const cleaned: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const inner = path === '' ? key : `${path}.${key}`;
    checkText(key, inner.replaceAll('\0', '\u2400'));
    if (value === null && !keepsNull) continue;
    // Assigning to `__proto__` would change the prototype instead of adding a field.
    Object.defineProperty(cleaned, key, {
      value: cleanValue(value, inner, depth + 1, keepsNull || ownMaps.has(key)),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return cleaned;
}

function cleanValue(value: Json, path: string, depth: number, keepsNull: boolean): Json {
  if (depth > deepest) throw invalidParam(path.slice(0, 100), 'The body is nested too deeply.');
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
