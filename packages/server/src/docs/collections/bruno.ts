import { type CollectionRequest, collectionFolders, type DescribedApi, idVariables } from './requests.ts';
import type { ZipEntry } from './zip.ts';

const block = (name: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`${name} {`, ...lines.map((line) => `  ${line}`), '}', ''];

function bodyKind({ body }: CollectionRequest): string {
  if (body === null) return 'none';
  return 'file' in body ? 'multipartForm' : 'json';
}

function bodyBlock({ body }: CollectionRequest): string[] {
  if (body === null) return [];
  if ('file' in body) return block('body:multipart-form', [`${body.file}: @file(receipt.pdf)`]);
  return block('body:json', body.json.split('\n'));
}

function requestFile(request: CollectionRequest, position: number): string {
  const { name, method, path, pathParameters, query, headers, keeps } = request;
  return [
    ...block('meta', [`name: ${name}`, 'type: http', `seq: ${position}`]),
    ...block(method.toLowerCase(), [
      `url: {{base_url}}${path}`,
      `body: ${bodyKind(request)}`,
      'auth: inherit',
    ]),
    // Filters are there to be switched on one by one: the tilde means off.
    ...block(
      'params:query',
      query.map((parameter) => `~${parameter.name}: `),
    ),
    ...block(
      'params:path',
      pathParameters.map((parameter) => `${parameter.name}: ${parameter.value}`),
    ),
    ...block(
      'headers',
      headers.map((header) => `${header.name}: ${header.value}`),
    ),
    ...bodyBlock(request),
    ...(keeps === null ? [] : block('vars:post-response', [`${keeps.variable}: res.body.${keeps.from}`])),
  ].join('\n');
}

/** A name that every file system takes. */
const fileName = (name: string) =>
  name
    .replaceAll(/[^\p{L}\p{N} ,()-]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The API as a Bruno collection: the files of its folder. */
export function brunoCollection(api: DescribedApi): ZipEntry[] {
  const root = 'till';
  const environment = [
    ...block('vars', [`base_url: ${api.servers[0]?.url ?? ''}`, ...idVariables.map((name) => `${name}: `)]),
    'vars:secret [',
    '  api_key',
    ']',
    '',
  ];
  const auth = [...block('auth', ['mode: bearer']), ...block('auth:bearer', ['token: {{api_key}}'])];
  const about = { version: '1', name: 'Till API', type: 'collection', ignore: ['node_modules', '.git'] };
  return [
    { path: `${root}/bruno.json`, text: `${JSON.stringify(about, null, 2)}\n` },
    { path: `${root}/collection.bru`, text: auth.join('\n') },
    { path: `${root}/environments/Sandbox.bru`, text: environment.join('\n') },
    ...collectionFolders(api).flatMap((folder, position) => [
      {
        path: `${root}/${folder.name}/folder.bru`,
        text: block('meta', [`name: ${folder.name}`, `seq: ${position + 1}`]).join('\n'),
      },
      ...folder.requests.map((request, index) => ({
        path: `${root}/${folder.name}/${fileName(request.name)}.bru`,
        text: requestFile(request, index + 1),
      })),
    ]),
  ];
}
