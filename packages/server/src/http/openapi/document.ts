import {
  apiTags,
  Event,
  type EventDescription,
  type EventType,
  eventDescriptions,
  eventExamples,
  eventTypes,
  requestExamples,
  responseExamples,
} from '@till/contract';
import type { TSchema } from 'typebox';
import { type JsonSchema, reach, requestSchemas } from './request-bodies.ts';

/** The part of an OpenAPI document that this module uses. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly webhooks: Readonly<Record<string, object>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
}

/** The document that `@fastify/swagger` generates from the mounted routes. */
export type BareDocument = Omit<OpenApiDocument, 'servers' | 'webhooks'>;

const schemaRef = (schema: TSchema) => ({
  $ref: `#/components/schemas/${(schema as unknown as { $id: string }).$id}`,
});

const signatureHeaders = [
  ['webhook-id', "The event's id, the same on every attempt."],
  ['webhook-timestamp', 'Unix seconds of this attempt.'],
  ['webhook-signature', '`v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`.'],
  ['Service-Signature', '`sha256=` and hex of HMAC-SHA-256 over the body.'],
] as const;

const audiences: Readonly<Record<EventDescription['goesTo'], string>> = {
  all: 'Every endpoint of the account gets it.',
  additional: 'Endpoints get it where additional events are switched on.',
  named: 'Only the endpoint that it was asked for gets it.',
};

/** `payment.succeeded` → `onPaymentSucceeded`. */
const handlerName = (type: string) =>
  `on${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

function webhook(type: EventType, { when, object, goesTo }: EventDescription): object {
  const about = object === null ? { type: 'object' } : schemaRef(object);
  const shown = eventExamples[type];
  const example = shown === null ? undefined : { ...responseExamples.Event, type, data: { object: shown } };
  const narrowed = {
    type: 'object',
    properties: {
      type: { type: 'string', const: type },
      data: { type: 'object', properties: { object: about } },
    },
  };
  return {
    post: {
      operationId: handlerName(type),
      summary: type,
      description: `${when} ${audiences[goesTo]}`,
      tags: ['Webhooks'],
      security: [],
      parameters: signatureHeaders.map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { allOf: [schemaRef(Event), narrowed] },
            ...(example === undefined ? {} : { example }),
          },
        },
      },
      responses: {
        '2XX': { description: 'Any 2xx within 10 seconds: delivered.' },
        default: { description: 'Anything else, or nothing within 10 seconds: sent again later.' },
      },
    },
  };
}

const webhookTag = {
  name: 'Webhooks',
  description:
    'What Till sends to your endpoints. Verify the signature before you parse the body. Guide: [webhooks](/docs/webhooks).',
};

/** Adds the schema and the examples of a request body. The body is optional if none of its fields is required. */
function completeBody(
  { operationId, requestBody }: OpenApiOperation,
  { schemas, bodyOf }: ReturnType<typeof requestSchemas>,
): object {
  const json = requestBody?.content['application/json'];
  if (requestBody === undefined || json === undefined) return {};
  const schema = bodyOf(operationId, json.schema);
  const named = schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const examples = (requestExamples[operationId] ?? []).map(
    ({ name, summary, body }) => [name, { summary, value: body }] as const,
  );
  return {
    requestBody: {
      ...requestBody,
      required: (named.required ?? []).length > 0,
      content: {
        'application/json': {
          ...json,
          schema,
          ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
        },
      },
    },
  };
}

/** The accepted e-mail addresses. Tools that read `format: email` would refuse non-ASCII letters, and spaces that are trimmed. */
const emailPattern = '^\\s*[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+\\s*$';

/** A schema with only those keywords that all tools interpret in the same way. */
function plainSchema(schema: Readonly<Record<string, unknown>>): object {
  if (schema.format === 'email') {
    const { format: _format, ...rest } = schema;
    return { ...rest, pattern: emailPattern };
  }
  return 'enum' in schema && !('type' in schema) ? { type: 'string', ...schema } : schema;
}

/** Converts all schemas with `plainSchema`, and makes links to the guides absolute. */
const completed = (document: object, baseUrl: string): unknown =>
  JSON.parse(JSON.stringify(document), (_key, inner: unknown) => {
    if (typeof inner === 'string') return inner.replaceAll('](/docs/', `](${baseUrl}/docs/`);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return plainSchema(inner as Record<string, unknown>);
  });

/**
 * The published document: the description of the routes, completed with examples, with the tags in reading order and the events
 * under `webhooks`.
 */
export function publishedDocument(bare: BareDocument, baseUrl: string): OpenApiDocument {
  const requests = requestSchemas(
    bare.components.schemas,
    Object.values(bare.paths).flatMap((item) => Object.values(item)),
  );
  const used = new Set(
    Object.values(bare.paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.tags)),
  );
  const paths = mapValues(bare.paths, (item) =>
    mapValues(item, (operation) => ({ ...operation, ...completeBody(operation, requests) })),
  );
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => [type, webhook(type, eventDescriptions[type])]),
  );
  // Leave out the schemas of endpoints that are switched off.
  const named = reach(requests.schemas, { paths, webhooks });
  const schemas = Object.fromEntries(Object.entries(requests.schemas).filter(([name]) => named.has(name)));
  const document = {
    ...bare,
    info: { ...bare.info, contact: { name: 'The operator of this server', url: `${baseUrl}/docs` } },
    servers: [{ url: baseUrl }],
    tags: [...apiTags.filter(({ name }) => used.has(name)), webhookTag],
    paths,
    webhooks,
    components: {
      ...bare.components,
      schemas: mapValues(schemas, (schema, name) => {
        const example = responseExamples[name];
        return example === undefined ? schema : { ...schema, examples: [example] };
      }),
    },
  };
  return completed(document, baseUrl) as OpenApiDocument;
}

const mapValues = <V, W>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
