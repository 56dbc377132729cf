import { merchantApi, type Operation, paymentMethodForms } from '@till/contract';

/** The part of a JSON Schema that this module uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

const prefix = '#/components/schemas/';
const nameOf = ({ $ref }: JsonSchema) => ($ref?.startsWith(prefix) ? $ref.slice(prefix.length) : undefined);
const operations: Readonly<Record<string, Operation>> = merchantApi;

/** The names of all schemas that a value references, directly or indirectly. */
export function reach(schemas: NamedSchemas, value: unknown, into = new Set<string>()): Set<string> {
  JSON.stringify(value, (key, inner: unknown) => {
    const name = key === '$ref' && typeof inner === 'string' ? nameOf({ $ref: inner }) : undefined;
    if (name !== undefined && !into.has(name)) {
      into.add(name);
      reach(schemas, schemas[name], into);
    }
    return inner;
  });
  return into;
}

/** A schema that also accepts null. */
function orNull(schema: JsonSchema): JsonSchema {
  const [notes, bare] = [{}, {}] as [JsonSchema, JsonSchema];
  for (const [key, value] of Object.entries(schema))
    Object.assign(key === 'description' || key.startsWith('x-') ? notes : bare, { [key]: value });
  if (bare.anyOf !== undefined) {
    const hasNull = bare.anyOf.some(({ type }) => type === 'null');
    return hasNull ? schema : { ...schema, anyOf: [...bare.anyOf, { type: 'null' }] };
  }
  if (bare.enum !== undefined) {
    return { ...schema, type: [...[bare.type ?? 'string'].flat(), 'null'], enum: [...bare.enum, null] };
  }
  if (typeof bare.type === 'string' && bare.const === undefined) {
    return { ...schema, type: [bare.type, 'null'] };
  }
  return { ...notes, anyOf: [bare, { type: 'null' }] };
}

/**
 * A schema in which every optional field also accepts null, which counts as absent, at any depth (decisions, "Order of checks").
 * Maps with the merchant's own keys stay unchanged.
 * @param kept fields of the schema in which null has a meaning of its own
 */
function nullable(
  schema: JsonSchema,
  rename: (name: string) => string,
  kept: readonly string[] = [],
): JsonSchema {
  const name = nameOf(schema);
  if (name !== undefined) return { ...schema, $ref: `${prefix}${rename(name)}` };
  const inner = (one: JsonSchema) => nullable(one, rename);
  const asTheyAre = new Set([...(schema.required ?? []), ...kept]);
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: inner(schema.items) }),
    ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.map(inner) }),
    ...(schema.oneOf === undefined ? {} : { oneOf: schema.oneOf.map(inner) }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([field, value]) => [
              field,
              asTheyAre.has(field) ? inner(value) : orNull(inner(value)),
            ]),
          ),
        }),
  };
}

/** Adds to the schema of a body what the validating schema lacks: forms by `type`, and which fields are dropped if malformed. */
function withForms(schemas: NamedSchemas): NamedSchemas {
  const body = schemas.PaymentCreate;
  if (body?.properties === undefined) return schemas;
  const forms = Object.entries(paymentMethodForms);
  const texts = merchantApi.createPayment.body.properties;
  const lenient = merchantApi.createPayment.lenientFields.map((field) => {
    // Keywords beside a `$ref` are lost when the document is generated, so the description is added again.
    const { description } = texts[field] as JsonSchema;
    return [field, { ...body.properties?.[field], description, 'x-ignored-where-malformed': true }];
  });
  const typeOf = (schema: (typeof forms)[number][1]) => schema.properties.type.const;
  const paymentMethod = {
    description: 'What pays. Which fields it takes depends on `type`.',
    oneOf: forms.map(([name]) => ({ $ref: `${prefix}${name}` })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(forms.map(([name, schema]) => [typeOf(schema), `${prefix}${name}`])),
    },
  };
  const properties = { ...body.properties, ...Object.fromEntries(lenient), payment_method: paymentMethod };
  const plain = JSON.parse(JSON.stringify(Object.fromEntries(forms))) as NamedSchemas;
  return { ...schemas, ...plain, PaymentCreate: { ...body, properties } };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/**
 * The schemas of a document whose request bodies are described exactly: null for an absent field, and card fields by the type of
 * the payment method. A schema that responses also use stays unchanged; request bodies then use a copy named `…Input`.
 * @returns the schemas, and a function that returns the schema of an operation's body
 */
export function requestSchemas(
  bare: NamedSchemas,
  described: readonly DescribedOperation[],
): {
  readonly schemas: NamedSchemas;
  readonly bodyOf: (operationId: string, schema: JsonSchema) => JsonSchema;
} {
  const known = withForms(bare);
  const takesNull = (id: string) => operations[id]?.body !== undefined && operations[id].keepsNull !== true;
  const kept = new Map<string, readonly string[]>();
  const [taking, others] = [new Set<string>(), new Set<string>()];
  for (const { operationId, requestBody, ...rest } of described) {
    reach(known, requestBody, takesNull(operationId) ? taking : others);
    reach(known, rest, others);
    const body = nameOf(requestBody?.content['application/json']?.schema ?? {});
    const { keepsNull } = operations[operationId] ?? {};
    if (body !== undefined && typeof keepsNull === 'object') kept.set(body, keepsNull);
  }
  const rename = (name: string) => (taking.has(name) && others.has(name) ? `${name}Input` : name);
  const changed = [...taking].flatMap((name): [string, JsonSchema][] => {
    const schema = known[name];
    return schema === undefined ? [] : [[rename(name), nullable(schema, rename, kept.get(name))]];
  });
  return {
    schemas: { ...known, ...Object.fromEntries(changed) },
    bodyOf: (operationId, schema) => (takesNull(operationId) ? nullable(schema, rename) : schema),
  };
}
