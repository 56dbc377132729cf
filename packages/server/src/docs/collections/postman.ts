import { type CollectionRequest, collectionFolders, type DescribedApi, idVariables } from './requests.ts';

/** The script that takes an id from an answer for the requests after it. */
function keeping({ keeps }: CollectionRequest): object {
  if (keeps === null) return {};
  const path = keeps.from === 'id' ? 'id' : 'data?.[0]?.id';
  const exec = [
    'if (pm.response.code < 300) {',
    `  const id = pm.response.json().${path};`,
    `  if (id) pm.collectionVariables.set('${keeps.variable}', id);`,
    '}',
  ];
  return { event: [{ listen: 'test', script: { type: 'text/javascript', exec } }] };
}

function bodyOf({ body }: CollectionRequest): object {
  if (body === null) return {};
  if ('file' in body) {
    return { body: { mode: 'formdata', formdata: [{ key: body.file, type: 'file', src: [] }] } };
  }
  return { body: { mode: 'raw', raw: body.json, options: { raw: { language: 'json' } } } };
}

function itemOf(request: CollectionRequest): object {
  const { name, method, path, pathParameters, query, headers, body } = request;
  const json = body !== null && 'json' in body ? [{ key: 'Content-Type', value: 'application/json' }] : [];
  return {
    name,
    ...keeping(request),
    request: {
      method,
      header: [...headers.map(({ name: key, value }) => ({ key, value })), ...json],
      ...bodyOf(request),
      url: {
        raw: `{{base_url}}${path}`,
        host: ['{{base_url}}'],
        path: path.split('/').slice(1),
        // Filters are there to be switched on one by one.
        query: query.map(({ name: key, description }) => ({ key, value: '', description, disabled: true })),
        variable: pathParameters.map(({ name: key, value }) => ({ key, value })),
      },
    },
    response: [],
  };
}

/** The API as a Postman collection, format 2.1. */
export function postmanCollection(api: DescribedApi): object {
  return {
    info: {
      name: 'Till API',
      description: `Set the variable api_key to a sandbox key (sk_test_…). Version ${String(api.info.version)}.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: api.servers[0]?.url ?? '' },
      { key: 'api_key', value: '' },
      ...idVariables.map((key) => ({ key, value: '' })),
    ],
    item: collectionFolders(api).map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map(itemOf),
    })),
  };
}
