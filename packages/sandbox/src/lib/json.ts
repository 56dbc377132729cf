export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object in a field, or an empty object if the field holds none. */
export function objectIn(body: unknown, field: string): JsonObject {
  const value = isObject(body) ? body[field] : undefined;
  return isObject(value) ? value : {};
}

/** Returns the columns of a row from a query result. */
export function columnsOf(row: unknown): JsonObject {
  if (!isObject(row)) throw new Error('the database gave back a row that is no object');
  return row;
}

/**
 * Serializes to JSON that PostgreSQL accepts. PostgreSQL rejects NUL and lone surrogates, which JavaScript
 * strings may contain.
 */
export function databaseJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd');
}
