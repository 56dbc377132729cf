const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of the body fields that were not kept, at any depth. A null field counts as not sent. */
export function fieldsNotKept(sent: unknown, kept: unknown, path = ''): string[] {
  if (Array.isArray(sent) && Array.isArray(kept)) {
    return sent.flatMap((item, index) => fieldsNotKept(item, kept[index], `${path}[${index}]`));
  }
  if (!isObject(sent) || !isObject(kept)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const below = path === '' ? name : `${path}.${name}`;
    if (value === null || value === undefined) return [];
    return Object.hasOwn(kept, name) ? fieldsNotKept(value, kept[name], below) : [below];
  });
}

const maxNamed = 20;

/**
 * The value of the header `Service-Ignored-Fields`, which names the request fields without effect. It leaves out names that a
 * header cannot contain and names that could be data themselves.
 * @returns undefined if there is no field to name
 */
export function ignoredFieldsHeader(paths: readonly string[]): string | undefined {
  const named = paths.filter((path) => /^[A-Za-z0-9_.[\]-]{1,100}$/.test(path) && !/\d{6}/.test(path));
  return named.length === 0 ? undefined : [...new Set(named)].slice(0, maxNamed).join(', ');
}
