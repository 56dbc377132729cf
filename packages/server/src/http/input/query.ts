import { invalidParam } from '@till/contract';
import type { TSchema } from 'typebox';

/**
 * Converts query-string text to the schema's types: integers from digits, defaults for absent parameters. A value that does not
 * fit stays text, so that validation reports it. Unknown parameters are ignored.
 * @throws ApiError `invalid_params` for an empty parameter, or one with the character NUL
 */
export function coerceQuery(
  schema: TSchema,
  query: Readonly<Record<string, string | string[]>>,
): Record<string, unknown> {
  const properties = (
    schema as unknown as { properties: Record<string, { type?: string; default?: unknown }> }
  ).properties;
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    if (value === undefined) {
      if (property.default !== undefined) result[name] = property.default;
      continue;
    }
    // A client's variable that was never set must not make a filter list everything.
    if (value === '') throw invalidParam(name, `${name} must not be empty: give it a value or leave it out.`);
    if (typeof value === 'string' && value.includes('\0')) {
      throw invalidParam(name, `${name} must not contain the character NUL.`);
    }
    const isInteger = property.type === 'integer' && typeof value === 'string' && /^\d{1,16}$/.test(value);
    result[name] = isInteger ? Number(value) : value;
  }
  return result;
}
