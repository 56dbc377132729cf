import * as contract from '@till/contract';
import { commentText, type Schema, typeText } from './test-type-text.ts';

/** One operation of the contract, as data. */
type Operation = (typeof operations)[number];

const operations = Object.values(contract.merchantApi as Readonly<Record<string, contract.Operation>>);

/** The lists of codes that the contract exports as data, by the name of the type generated from each. */
const codes: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: Object.keys(contract.errorCatalogue),
  ErrorType: contract.errorTypes,
  EventType: contract.eventTypes,
  FailureCode: contract.failureCodes,
};

/**
 * Files whose name differs from their tag. `test-helpers` would be taken for a test file; approvals concern
 * mainly refunds; client tokens offer saved payment methods.
 */
const filesOfTags: Readonly<Record<string, string>> = {
  'Test helpers': 'sandbox-helpers',
  Approvals: 'refunds',
  'Client tokens': 'payment-methods',
};
const fileOf = (tag: string) => filesOfTags[tag] ?? tag.toLowerCase().replaceAll(' ', '-');
/** Bodies with a file of their own: a payment and its request together exceed the maximum file length. */
const filesOfBodies: Readonly<Record<string, string>> = { createPayment: 'payment-create' };
const isNamed = (name: string, schema: unknown): schema is Schema =>
  /^[A-Z]/.test(name) &&
  typeof schema === 'object' &&
  schema !== null &&
  ((schema as Schema).type === 'object' || (schema as Schema).enum !== undefined);

/** The contract's exported objects and enumerations, with the names under which it exports them. */
const named = Object.entries(contract).flatMap(([name, schema]) =>
  isNamed(name, schema) ? [{ name, schema }] : [],
);
const byId = new Map(named.map(({ name, schema }) => [schema.$id, name]));

const shapeOf = ({ $id: _id, description: _description, ...schema }: Schema) => JSON.stringify(schema);

/**
 * Returns the name of a schema, or of one with the same shape: an optional field holds a copy of a schema.
 */
function nameOf(schema: Schema): string | undefined {
  if (schema.$ref !== undefined) return byId.get(schema.$ref);
  const same =
    named.find((one) => one.schema === schema) ??
    named.find((one) => shapeOf(one.schema) === shapeOf(schema));
  return same?.name;
}

const schemaNamed = (name: string): Schema => {
  const found = named.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the contract exports no ${name}`);
  return found.schema;
};

/** Yields the schemas within a schema, excluding the schema itself. */
function* partsOf(schema: Schema): Generator<Schema> {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  for (const part of parts) {
    yield part;
    if (nameOf(part) === undefined) yield* partsOf(part);
  }
}

/** The names that a schema uses directly. */
const namesIn = (schema: Schema): string[] =>
  [...partsOf(schema)].map(nameOf).filter((name) => name !== undefined);

/** Yields a name and all names that it uses, directly or indirectly. */
function* reach(name: string): Generator<string> {
  yield name;
  for (const next of namesIn(schemaNamed(name))) yield* reach(next);
}

const answerOf = (operation: Operation): Schema => {
  const [answer] = Object.values(operation.answers);
  if (answer === undefined) throw new Error(`${operation.id} has no answer`);
  return answer;
};
const sentBy = ({ body, query }: Operation): Schema[] =>
  [body, query].flatMap((schema) => (schema === undefined ? [] : [schema]));

const requireName = (schema: Schema): string => {
  const name = nameOf(schema);
  if (name === undefined) throw new Error(`a schema of the API has no name: ${JSON.stringify(schema)}`);
  return name;
};

/** Types that callers send. In these an optional field also accepts `undefined`. */
const sent = new Set(operations.flatMap(sentBy).flatMap((schema) => [...reach(requireName(schema))]));

/** Maps each type name to its file: the file of the first tag with an operation that uses the type. */
function placeTypes(): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const operation of operations.toSorted((a, b) => rank(a) - rank(b))) {
    for (const schema of [answerOf(operation), ...sentBy(operation)]) {
      const own = schema === operation.body ? filesOfBodies[operation.id] : undefined;
      for (const name of reach(requireName(schema))) {
        if (!places.has(name)) places.set(name, own ?? fileOf(operation.tag));
      }
    }
  }
  return places.set('ErrorBody', 'codes');
}

/**
 * Tags in this order come first: customers before payments, which contain them. Test helpers come last, since
 * they return types of other tags.
 */
const tags = ['Customers', 'Payments', 'Payment methods'];
const rank = ({ tag }: Operation) =>
  tag === 'Test helpers' ? Number.POSITIVE_INFINITY : tags.includes(tag) ? tags.indexOf(tag) : tags.length;

const header = '// Made from the contract by `npm run generate`; do not change it by hand.\n';

/** Groups the names by file. */
function byFile(names: Iterable<string>, places: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const name of names) {
    const file = places.get(name) ?? '';
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  return files;
}

function imports(names: Iterable<string>, places: ReadonlyMap<string, string>, own: string): string {
  return [...byFile(new Set(names), places)]
    .filter(([file]) => file !== own)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, list]) => `import type { ${list.sort().join(', ')} } from './${file}.ts';\n`)
    .join('');
}

function declaration(name: string): string {
  const { description, ...schema } = schemaNamed(name);
  const options = { nameOf, isSent: sent.has(name) };
  const comment = commentText(description);
  const text = typeText(schema, { ...options, isTop: true });
  return schema.type === 'object' && schema.properties !== undefined
    ? `${comment}export interface ${name} ${text}\n`
    : `${comment}export type ${name} = ${text};\n`;
}

const codeTypes = () =>
  Object.entries(codes)
    .map(([name, list]) => `export type ${name} = ${list.map((code) => `'${code}'`).join(' | ')};\n`)
    .join('\n');

function typeFiles(places: ReadonlyMap<string, string>): [string, string][] {
  return [...byFile(places.keys(), places)].map(([file, names]) => {
    const used = names.flatMap((name) => namesIn(schemaNamed(name)));
    const text = [...(file === 'codes' ? [codeTypes()] : []), ...names.map(declaration)].join('\n');
    return [`${file}.ts`, `${header}${imports(used, places, file)}\n${text}`];
  });
}

/** The source of `operations.ts`: method, path and options of each operation. */
function operationTable(): string {
  const rows = operations.map(({ id, method, path, idempotency, upload }) => {
    const field = upload === undefined ? '' : `, upload: '${upload.field}'`;
    return `${id}: { method: '${method}', path: '${path}', idempotency: '${idempotency}'${field} },\n`;
  });
  return `${header}\nexport const operations = {\n${rows.join('')}} as const;\n`;
}

/** The source of `operation-shapes.ts`: parameters, body and response type of each operation. */
function operationShapes(places: ReadonlyMap<string, string>): string {
  const rows = operations.map((operation) => {
    const { id, path, body, query } = operation;
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}: string`);
    const parts = [
      ...(parameters.length === 0 ? [] : [`path: { ${parameters.join('; ')} }`]),
      ...(query === undefined ? [] : [`query: ${requireName(query)}`]),
      ...(body === undefined ? [] : [`body: ${requireName(body)}`]),
      `answer: ${requireName(answerOf(operation))}`,
    ];
    return `${id}: { ${parts.join('; ')} };\n`;
  });
  const used = operations.flatMap((one) => [answerOf(one), ...sentBy(one)].map(requireName));
  return `${header}${imports(used, places, '')}\nexport interface OperationShapes {\n${rows.join('')}}\n`;
}

/** Returns the unformatted source of every generated file by file name. */
export function generateTypes(): ReadonlyMap<string, string> {
  const places = placeTypes();
  const index = [...new Set(places.values())].sort().map((file) => `export type * from './${file}.ts';\n`);
  return new Map([
    ...typeFiles(places),
    ['operations.ts', operationTable()],
    ['operation-shapes.ts', operationShapes(places)],
    ['index.ts', `${header}\n${index.join('')}`],
  ]);
}
