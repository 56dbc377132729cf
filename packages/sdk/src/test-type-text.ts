/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly $id?: string;
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
}

export interface TextOptions {
  /** Returns the name of a schema, or undefined if it has none. */
  readonly nameOf: (schema: Schema) => string | undefined;
  /**
   * Whether callers send the type. An optional field then also accepts `undefined`, which
   * `exactOptionalPropertyTypes` needs.
   */
  readonly isSent: boolean;
  /** Whether this schema is the one being declared, so that its own name cannot stand for it. */
  readonly isTop?: boolean;
}

const quoted = (value: string | number | boolean) =>
  typeof value === 'string' ? `'${value}'` : String(value);

/** Formats a description as a doc comment, with lines of at most 95 characters. */
export function commentText(description: string | undefined): string {
  if (description === undefined) return '';
  const lines = description.match(/.{1,95}(?=\s|$)/g) ?? [];
  if (lines.length <= 1) return `/** ${description} */\n`;
  return `/**\n${lines.map((line) => ` * ${line.trim()}\n`).join('')} */\n`;
}

function membersOf(schema: Schema, options: TextOptions): string {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).map(([name, { description, ...field }]) => {
    const comment = commentText(description);
    const isOptional = !required.has(name);
    const orUndefined = isOptional && options.isSent ? ' | undefined' : '';
    return `${comment}${name}${isOptional ? '?' : ''}: ${typeText(field, options)}${orUndefined};\n`;
  });
  return `{\n${members.join('')}}`;
}

function objectText(schema: Schema, options: TextOptions): string {
  if (schema.properties !== undefined) return membersOf(schema, options);
  const [values] = Object.values(schema.patternProperties ?? {});
  return `Record<string, ${values === undefined ? 'unknown' : typeText(values, options)}>`;
}

function arrayText(items: Schema | undefined, options: TextOptions): string {
  const item = typeText(items ?? {}, options);
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

/**
 * Writes a schema as a TypeScript type, unformatted.
 * @throws Error for a kind of schema that the contract does not use yet
 */
export function typeText(schema: Schema, { isTop, ...options }: TextOptions): string {
  const name = isTop === true ? undefined : options.nameOf(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(quoted).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeText(one, options)).join(' | ');
  switch (schema.type) {
    case 'object':
      return objectText(schema, options);
    case 'array':
      return arrayText(schema.items, options);
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}
