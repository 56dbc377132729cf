/** A parsed JSON object whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; anything else reads as an object without members. */
export function jsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A member as text; numbers and booleans are written out, an empty string or anything else is null. So is text that no database
 * keeps, with NUL or half a character: what an answer means could not be committed with it.
 */
export function jsonText(object: JsonObject, name: string): string | null {
  const value = object[name];
  if (typeof value === 'string') {
    return value === '' || value.includes('\0') || !value.isWellFormed() ? null : value;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A body as JSON, or undefined where it is none. */
export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A member as a list of objects; anything that is none is left out. */
export function jsonObjects(object: JsonObject, name: string): JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
