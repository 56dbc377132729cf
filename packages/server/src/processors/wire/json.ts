/** A parsed JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, otherwise an object without members. */
export function jsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A member as text. Numbers and booleans are converted; an empty string or any other value gives null. So does text that
 * PostgreSQL cannot store (NUL, or half of a surrogate pair), because the answer's outcome could not be committed with it.
 */
export function jsonText(object: JsonObject, name: string): string | null {
  const value = object[name];
  if (typeof value === 'string') {
    return value === '' || value.includes('\0') || !value.isWellFormed() ? null : value;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Parses a body as JSON; undefined if it is not JSON. */
export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A member as a list of objects; elements of any other type are left out. */
export function jsonObjects(object: JsonObject, name: string): JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
