import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, target } from '../../support/merchant.ts';
import { schemasOf } from '../../support/openapi-schemas.ts';

interface MediaType {
  readonly example?: object;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

interface OperationObject {
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly object[] }>>;
  };
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
}

const document = (await (await fetch(`${target().baseUrl}/openapi.json`)).json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [method, path, operation] as const),
);

const schemaAt = schemasOf(document);

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

describe('every operation', () => {
  it.each(operations)(
    '%s %s names the permission that a restricted key needs',
    (_method, _path, operation) => {
      const { security, description } = operation as unknown as {
        security: Record<string, string[]>[];
        description: string;
      };
      const [bearer, basic] = [security[0]?.bearer, security[1]?.basic];
      expect(bearer).toEqual([expect.stringMatching(/^[a-z_]+:(read|write)$/)]);
      expect(basic).toEqual(bearer);
      expect(description).toContain(`\`${bearer?.[0]}\``);
    },
  );
});

/** A part of the document that may contain named fields. */
interface Part {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly items?: Part;
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly allOf?: readonly Part[];
}

/** A reference counts as described if its target is. */
function isDescribed({ $ref, description, anyOf = [] }: Part): boolean {
  if (description !== undefined && description !== '') return true;
  const leadsTo = $ref === undefined ? undefined : document.components.schemas[$ref.split('/').at(-1) ?? ''];
  if (leadsTo !== undefined) return isDescribed(leadsTo as Part);
  return anyOf.some((one) => one.$ref !== undefined && isDescribed(one));
}

/** The paths of a schema's fields that have no description. */
function undescribed(part: Part, path: string): string[] {
  const own = Object.entries(part.properties ?? {}).flatMap(([name, field]) => [
    ...(isDescribed(field) ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ]);
  const inner = [...(part.anyOf ?? []), ...(part.oneOf ?? []), ...(part.items ? [part.items] : [])];
  return [...own, ...inner.flatMap((one) => undescribed(one, path))];
}

describe('what an integrator looks up', () => {
  it('every field of every object is described', () => {
    const schemas = Object.entries(document.components.schemas);
    expect(schemas.flatMap(([name, schema]) => undescribed(schema as Part, name))).toEqual([]);
  });

  it('every parameter and every field of a form is described', () => {
    const missing = operations.flatMap(([method, path, { parameters = [], requestBody }]) => {
      const form = requestBody?.content['multipart/form-data'] as { schema: Part } | undefined;
      const silent = parameters.filter((one) => !isDescribed(one as Part)).map(({ name }) => name);
      return [...silent, ...undescribed(form?.schema ?? {}, 'form')].map(
        (name) => `${method} ${path} ${name}`,
      );
    });
    expect(missing).toEqual([]);
  });

  it.each(operations)('%s %s describes its ids by their prefix', (_method, _path, { parameters = [] }) => {
    const ids = parameters.filter((one) => (one as { in?: string }).in === 'path') as Part[];
    for (const { description } of ids) expect(description).toMatch(/`[a-z]+_…`/);
  });
});

describe('the events under `webhooks`', () => {
  const types = Object.keys(document.webhooks);
  const bodyOf = (type: string) =>
    schemaAt('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema');

  it('are all that an endpoint may get', () => {
    expect(types.sort()).toEqual([
      'approval.created',
      'approval.decided',
      'dispute.closed',
      'dispute.created',
      'dispute.updated',
      'endpoint.test',
      'payment.authorized',
      'payment.failed',
      'payment.requires_action',
      'payment.succeeded',
      'payment.voided',
      'payment_link.created',
      'payment_link.updated',
      'refund.failed',
      'refund.succeeded',
    ]);
  });

  it('have schemas that real events fit, each that of its own type', async () => {
    const { body: paid } = await shop.pay();
    await shop.pay({ card: { holder_name: 'DECLINED' } });
    await shop.pay({ card: { number: '4212345678910006' } });
    await shop.post(`/api/v1/payments/${paid.id}/refunds`, { note: 'SIM-REFUND-FAIL-SYNC' });
    await shop.post(`/api/v1/test_helpers/payments/${paid.id}/dispute`, {});
    const { body: list } = await shop.get('/api/v1/events?per_page=100');
    const seen = new Set<string>();
    for (const event of list.data) {
      seen.add(event.type);
      const validate = bodyOf(event.type);
      validate(event);
      expect(validate.errors ?? [], event.type).toEqual([]);
      const other = event.type.startsWith('refund') ? 'payment.failed' : 'refund.failed';
      expect(bodyOf(other)(event)).toBe(false);
    }
    for (const type of ['payment.succeeded', 'payment.failed', 'payment.requires_action', 'refund.failed']) {
      expect(seen).toContain(type);
    }
    expect(seen).toContain('dispute.created');
  });

  it('name the headers of a delivery, and need no key', () => {
    for (const { post } of Object.values(document.webhooks)) {
      expect(post.parameters?.map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'Service-Signature',
      ]);
      expect(post).toMatchObject({ security: [], tags: ['Webhooks'] });
    }
  });
});

describe('the examples', () => {
  it('of answers fit their schemas', () => {
    const withExamples = Object.entries(document.components.schemas).filter(([, { examples }]) => examples);
    expect(withExamples.length).toBeGreaterThan(10);
    for (const [name, { examples = [] }] of withExamples) {
      const validate = schemaAt('components', 'schemas', name);
      validate(examples[0]);
      expect(validate.errors ?? [], name).toEqual([]);
    }
  });

  it('of events fit theirs', () => {
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { example } = post.requestBody?.content['application/json'] ?? {};
      if (example === undefined) continue;
      const validate = schemaAt(
        'webhooks',
        type,
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
      );
      validate(example);
      expect(validate.errors ?? [], type).toEqual([]);
    }
  });

  it('of requests fit their schemas', () => {
    let seen = 0;
    for (const [method, path, { requestBody }] of operations) {
      const json = requestBody?.content['application/json'] as {
        examples?: Record<string, { value: object }>;
      };
      for (const [name, { value }] of Object.entries(json?.examples ?? {})) {
        const validate = schemaAt(
          'paths',
          path,
          method,
          'requestBody',
          'content',
          'application/json',
          'schema',
        );
        validate(value);
        expect(validate.errors ?? [], `${path} ${name}`).toEqual([]);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(10);
  });
});

describe('for people', () => {
  it('every part has a name and a description, and every operation stands in one', () => {
    const deps = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const [, path, operation] of operations) {
      expect(
        operation.tags.map((tag) => deps.get(tag)),
        path,
      ).toEqual([expect.stringMatching(/\S/)]);
    }
  });

  it('an optional body is not required', () => {
    const body = (path: string) => document.paths[path]?.post?.requestBody;
    expect(body('/api/v1/payments/{payment_id}/refunds')?.required).toBe(false);
    expect(body('/api/v1/payments')?.required).toBe(true);
  });
});
