/** A parsed JSON object whose members nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; anything else reads as an object without members. */
export function jsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member as text; numbers and booleans are written out, an empty string or anything else is null. */
export function jsonText(object: JsonObject, name: string): string | null {
  const value = object[name];
  if (typeof value === 'string') {
    return value === '' ? null : value;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
