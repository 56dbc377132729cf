/** The part of an OpenAPI document from which collections are made. */
export interface DescribedApi {
  readonly info: { readonly version?: unknown };
  readonly servers: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, DescribedBody>> };
  readonly responses?: Readonly<Record<string, unknown>>;
}

interface DescribedBody {
  readonly schema?: { readonly properties?: Readonly<Record<string, unknown>> };
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
}

/** A request as both kinds of collections hold it. Values may name variables: `{{payment_id}}`. */
export interface CollectionRequest {
  readonly name: string;
  readonly method: string;
  /** With its parameters as `:id`. */
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly value: string }[];
  readonly query: readonly { readonly name: string; readonly description: string }[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: { readonly json: string } | { readonly file: string } | null;
  /** The variable that takes an id from the answer, and where it stands there. */
  readonly keeps: { readonly variable: string; readonly from: 'id' | 'data[0].id' } | null;
}

export interface CollectionFolder {
  readonly name: string;
  readonly description: string;
  readonly requests: readonly CollectionRequest[];
}

/** `payments` → `payment_id`: the variable for what stands behind this part of a path. */
const variableOf = (segment: string) => `${segment.replace(/s$/, '')}_id`;

/** Every variable beside the address and the key. */
export const idVariables = [
  'payment_id',
  'refund_id',
  'customer_id',
  'payment_method_id',
  'event_id',
  'dispute_id',
  'file_id',
] as const;

/** Ids in example bodies become variables, so that a request speaks of what an earlier one made. */
const exampleIds: Readonly<Record<string, string>> = { cus: 'customer_id', pm: 'payment_method_id' };

const withVariables = (body: object) =>
  JSON.stringify(body, null, 2).replaceAll(/"(cus|pm)_[a-z0-9]+"/g, (whole, prefix: string) => {
    const variable = exampleIds[prefix];
    return variable === undefined ? whole : `"{{${variable}}}"`;
  });

function keptFrom(method: string, path: string): CollectionRequest['keeps'] {
  const last = path.split('/').at(-1) ?? '';
  // A dispute that a test helper opens stands behind a verb of its own.
  const variable = variableOf(last === 'dispute' ? 'disputes' : last);
  if (!idVariables.some((known) => known === variable)) return null;
  return { variable, from: method === 'POST' ? 'id' : 'data[0].id' };
}

function bodiesOf(operation: DescribedOperation): { name: string; body: CollectionRequest['body'] }[] {
  const content = operation.requestBody?.content ?? {};
  const form = content['multipart/form-data'];
  const [field] = Object.keys(form?.schema?.properties ?? {});
  if (field !== undefined) return [{ name: operation.summary, body: { file: field } }];
  const examples = Object.values(content['application/json']?.examples ?? {});
  if (examples.length === 0) return [{ name: operation.summary, body: null }];
  return examples.map(({ summary, value }) => ({
    name: examples.length === 1 ? operation.summary : `${operation.summary}: ${summary}`,
    body: { json: withVariables(value) },
  }));
}

function requestsOf(method: string, path: string, operation: DescribedOperation): CollectionRequest[] {
  const parameters = operation.parameters ?? [];
  const segments = path.split('/');
  const common = {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    pathParameters: segments.flatMap((segment, index) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      return name === undefined ? [] : [{ name, value: `{{${variableOf(segments[index - 1] ?? '')}}}` }];
    }),
    query: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, description = '' }) => ({ name, description })),
    headers: parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required === true)
      .map(({ name }) => ({ name, value: '{{$guid}}' })),
    keeps: keptFrom(method, path),
  };
  return bodiesOf(operation).map((one) => ({ ...common, ...one }));
}

/** A stream of events never ends: no collection waits for its answer. */
const isStream = ({ responses }: DescribedOperation) => {
  const success = responses?.['200'] as { readonly content?: object } | undefined;
  return Object.hasOwn(success?.content ?? {}, 'text/event-stream');
};

/** The requests of an API by their parts, in reading order: what Postman and Bruno collections are made of. */
export function collectionFolders(api: DescribedApi): CollectionFolder[] {
  const operations = Object.entries(api.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ operation }) => !isStream(operation));
  return (api.tags ?? []).flatMap(({ name, description = '' }) => {
    const requests = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .flatMap(({ method, path, operation }) => requestsOf(method, path, operation));
    return requests.length === 0 ? [] : [{ name, description, requests }];
  });
}
