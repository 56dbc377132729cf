import swagger from '@fastify/swagger';
import {
  type ErrorCode,
  errorCatalogue,
  eventStream,
  eventStreamAnswer,
  eventStreamHeaders,
  type Operation,
  operationDescriptions,
} from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { serviceVersion } from '../server/app.ts';
import { type BareDocument, type OpenApiDocument, publishedDocument } from './document.ts';

const idOf = (schema: TSchema) => (schema as unknown as { $id?: string }).$id;

/** A reference in Fastify's form `Name#`; a schema without a name is inlined. */
const refTo = (schema: TSchema): object => {
  const id = idOf(schema);
  return id === undefined ? withRefs(schema) : { $ref: `${id}#` };
};

/** The contract references shared schemas as `$ref: Name`; Fastify expects `Name#`. */
function withRefs(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === '$ref' && typeof inner === 'string' && !inner.includes('#') ? `${inner}#` : inner,
  ) as object;
}

/** The errors of requests that are refused before they are routed. */
const unread: readonly ErrorCode[] = ['bad_request', 'request_timeout', 'uri_too_long', 'headers_too_large'];

const always: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'key_mode_mismatch',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

const errorAnswer = (codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  $ref: 'Error#',
});

function errorAnswers(operation: Operation): Record<string, object> {
  const codes: ErrorCode[] = [...operation.errors, ...always];
  if (operation.body !== undefined) codes.push('body_too_large');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return {
    ...Object.fromEntries([...byStatus].map(([status, of]) => [status, errorAnswer(of)])),
    default: errorAnswer(unread),
  };
}

/** The schema of the header `Idempotency-Key`. */
const keyHeader = (operation: Operation) => ({
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      // If the key is optional, an empty value counts as none.
      ...(operation.idempotency === 'required' ? { minLength: 1 } : {}),
      maxLength: 255,
      description: 'Kept for 24 hours.',
    },
  },
  ...(operation.idempotency === 'required' ? { required: ['Idempotency-Key'] } : {}),
});

/** The prefix of the ids that follow a path segment. */
const prefixes: Readonly<Record<string, string>> = {
  approvals: 'apr_',
  customers: 'cus_',
  disputes: 'dsp_',
  events: 'evt_',
  files: 'file_',
  payment_links: 'pl_',
  payment_methods: 'pm_',
  payments: 'pay_',
  payouts: 'po_',
  refunds: 're_',
};

function pathParameters(path: string): object | undefined {
  const found = [...path.matchAll(/(\w+)\/:([a-z_]+)/g)].map(([, before = '', name = '']) => {
    const description = `Its id: \`${prefixes[before]}…\`.`;
    return [name, { type: 'string', description }] as const;
  });
  const names = found.map(([name]) => name);
  if (names.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(found),
    required: names,
  };
}

/** A form with one file. */
const uploadBody = ({ field }: NonNullable<Operation['upload']>) => ({
  consumes: ['multipart/form-data'],
  body: {
    type: 'object',
    properties: {
      [field]: {
        type: 'string',
        contentMediaType: 'application/octet-stream',
        description: 'A PDF, JPEG or PNG of at most 5 MiB.',
      },
    },
    required: [field],
  },
});

function describe({ id, permission }: Operation): string {
  const description: string | undefined = operationDescriptions[id as keyof typeof operationDescriptions];
  const needs = `A [restricted key](/docs/restricted-keys) needs the permission \`${permission}\`.`;
  return description === undefined ? needs : `${description}\n\n${needs}`;
}

/** The schema that Fastify documents for an operation, built from the same schemas that validate and serialise it. */
export function documentedSchema(operation: Operation): object {
  const params = pathParameters(operation.path);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: describe(operation),
    tags: [operation.tag],
    // The permission that a key needs. OpenAPI 3.1 allows role names here for schemes other than OAuth.
    security: [{ bearer: [operation.permission] }, { basic: [operation.permission] }],
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

/** The schema of the event stream, whose 200 response is not JSON. */
export const documentedStream: object = {
  ...documentedSchema(eventStream),
  headers: withRefs(eventStreamHeaders),
  response: {
    200: {
      description: eventStreamAnswer,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    ...errorAnswers(eventStream),
  },
};

const description = `Charge cards and wallets, hold money, save what pays, give money back.

# Requests

JSON in, JSON out, with \`Authorization: Bearer <API_KEY>\`. Amounts are integers in the currency's minor units: 4990 EUR is
49.90 €, 4990 JPY is 4,990 ¥. Unknown fields and parameters are ignored; the header \`Service-Ignored-Fields\` of the answer names them.

# Idempotency

Send an \`Idempotency-Key\` with what moves money, the same one on every retry: the first answer comes back byte for byte, with
\`Idempotent-Replayed: true\`, and nothing happens twice. See [retries](/docs/retries).

# Errors

Every error is \`{"error": {"type", "code", "message", "doc_url", "request_id"}}\`. Match on \`code\`; each one is explained under
[errors](/docs/errors). A decline is no error: it is a payment with \`status: failed\`.

# Versions

The path says \`v1\`. Fields, codes and types of events are added without notice: ignore what you do not know. What would break
you is announced 12 months ahead by the headers \`Deprecation\` and \`Sunset\`.`;

/** Serves `/openapi.json`. Call it before routes are mounted, because it collects them. */
export async function openApi(
  app: FastifyInstance,
  deps: { named: readonly TSchema[]; baseUrl: () => string },
): Promise<void> {
  for (const schema of deps.named) app.addSchema(withRefs(schema));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Till API',
        version: serviceVersion,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
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
      schema: { ...schema, hide: route.config?.isDocumented !== true },
      url,
    }),
  });
  let published: OpenApiDocument | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    published ??= publishedDocument(app.swagger() as unknown as BareDocument, deps.baseUrl());
    return reply.send(published);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether `/openapi.json` shows the route. */
    isDocumented?: boolean;
  }
}
