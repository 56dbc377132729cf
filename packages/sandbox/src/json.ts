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
