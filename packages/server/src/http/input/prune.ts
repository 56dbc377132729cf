import type { Ajv } from 'ajv';

interface SchemaPart {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly anyOf?: readonly SchemaPart[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the value without the fields that its schema does not name, at any depth. Unknown fields are ignored and never stored
 * (decisions, "Order of checks"), so a card number in an invented field is not kept either.
 */
export function prune(ajv: Ajv, schema: object, value: unknown): unknown {
  const part = resolve(ajv, schema, value);
  if (Array.isArray(value)) {
    const { items } = part;
    return items === undefined ? value : value.map((item) => prune(ajv, items, item));
  }
  if (!isObject(value) || part.properties === undefined) return value;
  const known: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(part.properties)) {
    if (Object.hasOwn(value, name)) known[name] = prune(ajv, inner, value[name]);
  }
  return known;
}

/** Resolves references. For a union and an object value, takes the branch that describes an object. */
function resolve(ajv: Ajv, schema: object, value: unknown): SchemaPart {
  const part: SchemaPart = schema;
  if (part.$ref !== undefined) {
    const named = ajv.getSchema(part.$ref)?.schema;
    return isObject(named) ? resolve(ajv, named, value) : {};
  }
  if (part.anyOf === undefined) return part;
  const branches = part.anyOf.map((branch) => resolve(ajv, branch, value));
  return (isObject(value) ? branches.find((branch) => branch.properties !== undefined) : undefined) ?? {};
}
