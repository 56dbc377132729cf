import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Merchant, target } from '../../support/merchant.ts';

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface ExampleRequest {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly body: object | undefined;
}

const document = (await (await fetch(`${target().baseUrl}/openapi.json`)).json()) as Document;

/** A stream of events never ends, so no test waits for its response. */
const isStream = ({ responses }: Operation) =>
  Object.hasOwn(responses['200']?.content ?? {}, 'text/event-stream');

/**
 * Every operation by tag, in reading order, once for each example of its request body: the requests that an importer
 * generates.
 */
const requests: readonly ExampleRequest[] = document.tags.flatMap(({ name }) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(name) && !isStream(operation))
      .flatMap(([method, operation]) => {
        const examples = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
        const bodies = examples.length === 0 ? [undefined] : examples.map(({ value }) => value);
        return bodies.map((body) => ({ method: method.toUpperCase(), path, operation, body }));
      }),
  ),
);

/** Sends the examples of the document, with ids from earlier responses. */
class Runner {
  readonly #key: string;
  /** The latest id of each kind, by id prefix. */
  readonly #ids = new Map<string, string>();

  constructor(shop: Merchant) {
    this.#key = shop.key;
  }

  readonly #prefixes: Readonly<Record<string, string>> = {
    payments: 'pay',
    refunds: 're',
    customers: 'cus',
    payment_methods: 'pm',
    events: 'evt',
    disputes: 'dsp',
    files: 'file',
  };

  async send({ method, path, operation, body }: ExampleRequest): Promise<number> {
    const filled = path.replaceAll(
      /(\w+)\/\{\w+\}/g,
      (_whole, kind: string) => `${kind}/${this.#ids.get(this.#prefixes[kind] ?? kind) ?? 'none'}`,
    );
    const headers = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'header' && parameter.required === true)
      .map(({ name }) => [name, randomUUID()]);
    const text = JSON.stringify(body)?.replaceAll(
      /"(cus|pm)_[a-z0-9]+"/g,
      (whole, prefix: string) => `"${this.#ids.get(prefix) ?? whole.slice(1, -1)}"`,
    );
    const response = await fetch(`${document.servers[0]?.url}${filled}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(headers),
      },
      body: text ?? null,
    });
    const answer = (await response.json()) as { id?: string; data?: { id: string }[] };
    const id = answer.id ?? answer.data?.[0]?.id;
    if (response.ok && id !== undefined) this.#ids.set(id.slice(0, id.indexOf('_')), id);
    return response.status;
  }
}

describe('the examples of /openapi.json', () => {
  it('cover every operation but the stream of events', () => {
    const summaries = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ summary }) => summary),
    );
    const sent = new Set(requests.map(({ operation }) => operation.summary));
    expect(summaries.filter((summary) => !sent.has(summary))).toEqual(['Follow events as they come']);
    expect(document.servers).toEqual([{ url: target().baseUrl }]);
  });

  it.each(['processor_a', 'processor_b'] as const)(
    'run from the first to the last on %s: each is answered as documented, and most succeed',
    async (processor) => {
      const runner = new Runner(await Merchant.open(processor));
      const statuses: number[] = [];
      for (const request of requests) {
        const status = await runner.send(request);
        const { summary, responses } = request.operation;
        expect(Object.keys(responses), `${summary}: ${status}`).toContain(String(status));
        statuses.push(status);
      }
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(statuses.length / 2);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    },
  );
});
