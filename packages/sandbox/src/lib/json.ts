export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in that field; an empty one where there is none. */
export function objectIn(body: unknown, field: string): JsonObject {
  const value = isObject(body) ? body[field] : undefined;
  return isObject(value) ? value : {};
}

/** The columns of a row that a statement gave back. */
export function columnsOf(row: unknown): JsonObject {
  if (!isObject(row)) throw new Error('the database gave back a row that is no object');
  return row;
}

/** JSON that PostgreSQL takes: it refuses NUL and half surrogate pairs, which JavaScript strings may hold. */
export function databaseJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd');
}
