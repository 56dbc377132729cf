/** Marks of `redactRequest`: of such a value nothing says whether it was the same. */
const hidden =
  /\[(redacted|card ••••\d*|digits not kept|cut|(unknown field|list|object|not an object), not kept)\]/;

export interface Difference {
  /** Path of the field, as errors name it. */
  readonly path: string;
  /** JSON as it was sent; absent: the field was not. */
  readonly first?: string;
  readonly now?: string;
}

export interface Comparison {
  readonly differences: Difference[];
  /** Paths of fields in both whose values are not kept, so that nobody can compare them. */
  readonly unknown: string[];
}

/** Compares two request bodies as they are kept, field by field. */
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

/** Every value that is no container, and every empty container, by its path. */
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
