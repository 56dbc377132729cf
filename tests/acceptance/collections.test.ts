import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Merchant, target } from '../support/merchant.ts';

interface Variable {
  readonly key: string;
  readonly value: string;
}

interface Item {
  readonly name: string;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly header: readonly Variable[];
    readonly body?: { readonly mode: string; readonly raw?: string };
    readonly url: {
      readonly path: readonly string[];
      readonly variable: readonly Variable[];
      readonly query: readonly { readonly key: string; readonly disabled: boolean }[];
    };
  };
}

interface Collection {
  readonly info: { readonly schema: string };
  readonly auth: unknown;
  readonly variable: readonly Variable[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

const get = async (path: string) => fetch(`${target().baseUrl}${path}`);
const collection = (await (await get('/docs/collections/till.postman_collection.json')).json()) as Collection;
const document = (await (await get('/openapi.json')).json()) as {
  paths: Record<string, Record<string, { summary: string; responses: Record<string, unknown> }>>;
};

/** Does what Postman does with a collection: fills variables in, sends, and lets the script keep an id. */
class Runner {
  readonly #variables: Map<string, string>;

  constructor(shop: Merchant) {
    this.#variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    this.#variables.set('api_key', shop.key);
  }

  #fill = (text: string) =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_whole, name: string) =>
      name === '$guid' ? randomUUID() : (this.#variables.get(name) ?? ''),
    );

  async send({ request, event }: Item): Promise<{ status: number; path: string }> {
    const parameters = new Map(request.url.variable.map(({ key, value }) => [key, this.#fill(value)]));
    const path = request.url.path.map((part) =>
      part.startsWith(':') ? encodeURIComponent(parameters.get(part.slice(1)) ?? '') || 'none' : part,
    );
    const headers = Object.fromEntries(request.header.map(({ key, value }) => [key, this.#fill(value)]));
    const response = await fetch(`${this.#variables.get('base_url')}/${path.join('/')}`, {
      method: request.method,
      headers: { authorization: `Bearer ${this.#variables.get('api_key')}`, ...headers },
      ...(request.body?.raw === undefined ? {} : { body: this.#fill(request.body.raw) }),
    });
    const body = (await response.json()) as { id?: string; data?: { id: string }[] };
    const [, variable] =
      /collectionVariables\.set\('(\w+)'/.exec(event?.[0]?.script.exec.join('\n') ?? '') ?? [];
    const id = body.id ?? body.data?.[0]?.id;
    if (response.ok && variable !== undefined && id !== undefined) this.#variables.set(variable, id);
    const pattern = request.url.path.map((part) => (part.startsWith(':') ? `{${part.slice(1)}}` : part));
    return { status: response.status, path: `/${pattern.join('/')}` };
  }
}

describe('the Postman collection', () => {
  it('is of format 2.1, for this server, with a key to be filled in', () => {
    expect(collection.info.schema).toBe(
      'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    );
    expect(collection.variable).toContainEqual({ key: 'base_url', value: target().baseUrl });
    expect(collection.variable).toContainEqual({ key: 'api_key', value: '' });
  });

  it('has every operation of the published document but the stream of events, which never ends', () => {
    const summaries = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ summary }) => summary),
    );
    const names = collection.item.flatMap(({ item }) => item.map(({ name }) => name));
    expect(summaries.filter((summary) => !names.some((name) => name.startsWith(summary)))).toEqual([
      'Follow events as they come',
    ]);
  });

  it.each(['processor_a', 'processor_b'] as const)(
    'runs from its first request to its last on %s: each is answered as documented, and most succeed',
    async (processor) => {
      const runner = new Runner(await Merchant.open(processor));
      const statuses: number[] = [];
      for (const item of collection.item.flatMap((folder) => folder.item)) {
        const { status, path } = await runner.send(item);
        const operation = document.paths[path]?.[item.request.method.toLowerCase()];
        expect(Object.keys(operation?.responses ?? {}), `${item.name}: ${status}`).toContain(String(status));
        statuses.push(status);
      }
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(statuses.length / 2);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    },
  );
});

describe('the Bruno collection', () => {
  it('is an archive to be saved', async () => {
    const response = await get('/docs/collections/till.bruno.zip');
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="till.bruno.zip"');
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toContain('till/collection.bru');
  });
});
