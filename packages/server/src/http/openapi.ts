import swagger from '@fastify/swagger';
import { type ErrorCode, errorCatalogue, merchantApi, type Operation } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { serviceVersion } from './app.ts';

const idOf = (schema: TSchema) => (schema as unknown as { $id?: string }).$id;

/** Fastify resolves `Name#`; a schema without a name is written in place. */
const refTo = (schema: TSchema): object => {
  const id = idOf(schema);
  return id === undefined ? withRefs(schema) : { $ref: `${id}#` };
};

/** The contract names shared schemas as `$ref: Name`; Fastify wants `Name#`. */
function withRefs(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === '$ref' && typeof inner === 'string' && !inner.includes('#') ? `${inner}#` : inner,
  ) as object;
}

const always: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'key_mode_mismatch',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

function errorAnswers(operation: Operation): Record<number, object> {
  const codes: ErrorCode[] = [...operation.errors, ...always];
  if (operation.body !== undefined) codes.push('body_too_large');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      { description: of.map((code) => `\`${code}\``).join(', '), $ref: 'Error#' },
    ]),
  );
}

/** Query parameters are described one by one, from the same schema that validates them. */
const keyHeader = (operation: Operation) => ({
  type: 'object',
  properties: {
    'Idempotency-Key': { type: 'string', minLength: 1, maxLength: 255, description: 'Kept for 24 hours.' },
  },
  ...(operation.idempotency === 'required' ? { required: ['Idempotency-Key'] } : {}),
});

function pathParameters(path: string): object | undefined {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
  if (names.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  };
}

/** A form with one file. */
const uploadBody = ({ field }: NonNullable<Operation['upload']>) => ({
  consumes: ['multipart/form-data'],
  body: {
    type: 'object',
    properties: { [field]: { type: 'string', contentMediaType: 'application/octet-stream' } },
    required: [field],
  },
});

/** What Fastify documents of an operation: the very schemas that validate and serialise it. */
export function documentedSchema(operation: Operation): object {
  const params = pathParameters(operation.path);
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    security: [{ bearer: [] }, { basic: [] }],
    ...(operation.idempotency === 'unused' ? {} : { headers: keyHeader(operation) }),
    ...(params === undefined ? {} : { params }),
    ...(operation.query === undefined ? {} : { querystring: withRefs(operation.query) }),
    ...(operation.body === undefined ? {} : { body: refTo(operation.body) }),
    ...(operation.upload === undefined ? {} : uploadBody(operation.upload)),
    response: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, schema]) => [
          status,
          { description: operation.summary, ...refTo(schema) },
        ]),
      ),
      ...errorAnswers(operation),
    },
  };
}

/** Serves `/openapi.json`. Call it before routes are mounted: it collects them. */
export async function openApi(
  app: FastifyInstance,
  parts: { named: readonly TSchema[]; baseUrl: () => string },
) {
  for (const schema of parts.named) app.addSchema(withRefs(schema));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Till',
        version: serviceVersion,
        description: 'Merchant payments: charge, hold, save, refund. Amounts are integers in minor units.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...new Set(Object.values(merchantApi).map((operation) => operation.tag))].map((name) => ({
        name,
      })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <API_KEY>`' },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The key as user name with an empty password.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json) => json.$id as string },
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, hide: route.config?.operation === undefined },
      url,
    }),
  });
  app.get('/openapi.json', async (_request, reply) => {
    const document = app.swagger();
    return reply.send({ ...document, servers: [{ url: parts.baseUrl() }] });
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
