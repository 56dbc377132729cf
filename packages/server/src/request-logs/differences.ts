/** Marks that `redactRequest` leaves. Whether two values with such a mark were equal is unknown. */
const hidden =
  /\[(redacted|card ••••\d*|digits not kept|cut|(unknown field|list|object|not an object), not kept)\]/;

export interface Difference {
  /** Path of the field in the notation of error messages. */
  readonly path: string;
  /** The value as JSON; omitted if the field was not sent. */
  readonly first?: string;
  readonly now?: string;
}

export interface Comparison {
  readonly differences: Difference[];
  /** Paths of fields that both bodies have but whose values are not stored, so that they cannot be compared. */
  readonly unknown: string[];
}

/** Compares two redacted request bodies field by field. */
export function compareBodies(first: unknown, now: unknown): Comparison {
  const before = flatten(first, '');
  const after = flatten(now, '');
  const differences: Difference[] = [];
  const unknown: string[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(path), after.get(path)];
    if (one !== other) {
      differences.push({
        path,
        ...(one === undefined ? {} : { first: one }),
        ...(other === undefined ? {} : { now: other }),
      });
    } else if (one !== undefined && hidden.test(one)) {
      unknown.push(path);
    }
  }
  return { differences, unknown };
}

/** Maps paths to values, for every scalar and every empty list or object. */
function flatten(value: unknown, path: string, into = new Map<string, string>()): Map<string, string> {
  const isList = Array.isArray(value);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    if (path !== '') into.set(path, JSON.stringify(value));
    return into;
  }
  for (const [name, inner] of entries) {
    const below = path === '' ? name : isList ? `${path}[${name}]` : `${path}.${name}`;
    flatten(inner, below, into);
  }
  return into;
}
