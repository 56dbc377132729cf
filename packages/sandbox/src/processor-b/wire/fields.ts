import { isObject, type JsonObject } from '../../lib/json.ts';
import { isBrowserAddress } from '../../lib/return-url.ts';
import { malformed, Refusal } from './errors.ts';

/** Small readers that refuse in PayPal's words and name the field by its JSON pointer. */

/** The JSON object of a request body; an empty body counts as an empty object. */
export function parseBody(body: Buffer): JsonObject {
  const text = body.toString('utf8');
  if (text.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own message quotes the input, which may hold a card number.
    throw malformed('MALFORMED_REQUEST_JSON');
  }
  if (!isObject(parsed)) throw malformed('MALFORMED_REQUEST_JSON');
  return parsed;
}

/** The operations of a JSON Patch (RFC 6902). */
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

/** Text of 1 to `longest` characters, or null where the field is absent. */
export function optionalText(value: unknown, field: string, longest: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw malformed('INVALID_PARAMETER_SYNTAX', field);
  if (value.length === 0 || value.length > longest) throw malformed('INVALID_STRING_LENGTH', field);
  return value;
}

/** An address to which a browser can be sent, or null where the field is absent. */
export function optionalUrl(value: unknown, field: string): string | null {
  const text = optionalText(value, field, 4000);
  if (text === null) return null;
  if (!isBrowserAddress(text)) throw malformed('INVALID_PARAMETER_SYNTAX', field);
  return text;
}

export function requireJson(contentType: string | undefined, body: Buffer): void {
  if (body.length > 0 && !/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) throw new Refusal(415);
}
