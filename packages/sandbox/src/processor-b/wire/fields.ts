import { isObject, type JsonObject } from '../../lib/json.ts';
import { isBrowserAddress } from '../../lib/return-url.ts';
import { malformed, Refusal } from './errors.ts';

/** Readers of fields that throw PayPal's errors and name the field by its JSON pointer. */

/** Parses a request body into a JSON object. An empty body counts as an empty object. */
export function parseBody(body: Buffer): JsonObject {
  const text = body.toString('utf8');
  if (text.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Does not reuse the parser's message, which quotes the input and so possibly a card number.
    throw malformed('MALFORMED_REQUEST_JSON');
  }
  if (!isObject(parsed)) throw malformed('MALFORMED_REQUEST_JSON');
  return parsed;
}

/** Parses the operations of a JSON Patch (RFC 6902). */
export function parsePatches(body: Buffer): readonly JsonObject[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw malformed('MALFORMED_REQUEST_JSON');
  }
  if (!Array.isArray(parsed) || !parsed.every(isObject)) throw malformed('INVALID_PARAMETER_SYNTAX');
  return parsed;
}

export function requiredObject(value: unknown, field: string): JsonObject {
  if (value === undefined || value === null) throw malformed('MISSING_REQUIRED_PARAMETER', field);
  if (!isObject(value)) throw malformed('INVALID_PARAMETER_SYNTAX', field);
  return value;
}

/** Reads text of 1 to `longest` characters. Returns null if the field is absent. */
export function optionalText(value: unknown, field: string, longest: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw malformed('INVALID_PARAMETER_SYNTAX', field);
  if (value.length === 0 || value.length > longest) throw malformed('INVALID_STRING_LENGTH', field);
  return value;
}

/** Reads a URL to which a browser can be sent. Returns null if the field is absent. */
export function optionalUrl(value: unknown, field: string): string | null {
  const text = optionalText(value, field, 4000);
  if (text === null) return null;
  if (!isBrowserAddress(text)) throw malformed('INVALID_PARAMETER_SYNTAX', field);
  return text;
}

export function requireJson(contentType: string | undefined, body: Buffer): void {
  if (body.length > 0 && !/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) throw new Refusal(415);
}
