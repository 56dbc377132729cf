import { crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brunoCollection } from './bruno.ts';
import { postmanCollection } from './postman.ts';
import { collectionFolders, type DescribedApi, idVariables } from './requests.ts';
import { zip } from './zip.ts';

const api: DescribedApi = {
  info: { version: '2026-11-20' },
  servers: [{ url: 'https://pay.example' }],
  tags: [{ name: 'Refunds', description: 'Give back.' }, { name: 'Files' }, { name: 'Empty' }],
  paths: {
    '/api/v1/payments/{payment_id}/refunds': {
      post: {
        operationId: 'createRefund',
        summary: 'Give money back',
        tags: ['Refunds'],
        parameters: [
          { name: 'payment_id', in: 'path', required: true },
          { name: 'Idempotency-Key', in: 'header', required: true },
        ],
        requestBody: {
          content: {
            'application/json': {
              examples: {
                part: { summary: 'A part', value: { amount: 500, customer: 'cus_abc', method: 'pm_1' } },
                all: { summary: 'All', value: {} },
              },
            },
          },
        },
      },
      get: {
        operationId: 'listRefunds',
        summary: 'List them',
        tags: ['Refunds'],
        parameters: [{ name: 'page', in: 'query', description: 'From 1.' }],
      },
    },
    '/api/v1/files': {
      post: {
        operationId: 'createFile',
        summary: 'Upload',
        tags: ['Files'],
        requestBody: { content: { 'multipart/form-data': { schema: { properties: { file: {} } } } } },
      },
    },
  },
};

describe('the requests of a collection', () => {
  const folders = collectionFolders(api);

  it('stand in the folders of their parts, one for each example', () => {
    expect(folders.map(({ name, requests }) => [name, requests.map((request) => request.name)])).toEqual([
      ['Refunds', ['Give money back: A part', 'Give money back: All', 'List them']],
      ['Files', ['Upload']],
    ]);
  });

  it('name variables for ids, take ids from answers, and send what is required', () => {
    const [create, , list] = folders[0]?.requests ?? [];
    expect(create).toMatchObject({
      method: 'POST',
      path: '/api/v1/payments/:payment_id/refunds',
      pathParameters: [{ name: 'payment_id', value: '{{payment_id}}' }],
      headers: [{ name: 'Idempotency-Key', value: '{{$guid}}' }],
      keeps: { variable: 'refund_id', from: 'id' },
    });
    expect(create?.body).toEqual({
      json: '{\n  "amount": 500,\n  "customer": "{{customer_id}}",\n  "method": "{{payment_method_id}}"\n}',
    });
    expect(list).toMatchObject({ body: null, keeps: { variable: 'refund_id', from: 'data[0].id' } });
    expect(folders[1]?.requests[0]).toMatchObject({ body: { file: 'file' }, keeps: { variable: 'file_id' } });
  });
});

describe('the Postman collection', () => {
  it('has the address of the server, no key, and every variable that a request names', () => {
    const collection = postmanCollection(api) as { variable: { key: string; value: string }[] };
    const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    expect(variables.get('base_url')).toBe('https://pay.example');
    expect(variables.get('api_key')).toBe('');
    const named = [...JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !variables.has(name))).toEqual([]);
  });
});

describe('the Bruno collection', () => {
  const files = new Map(brunoCollection(api).map(({ path, text }) => [path, text]));

  it('has a file for each request, by names that every system takes', () => {
    expect([...files.keys()]).toEqual([
      'till/bruno.json',
      'till/collection.bru',
      'till/environments/Sandbox.bru',
      'till/Refunds/folder.bru',
      'till/Refunds/Give money back A part.bru',
      'till/Refunds/Give money back All.bru',
      'till/Refunds/List them.bru',
      'till/Files/folder.bru',
      'till/Files/Upload.bru',
    ]);
    for (const name of idVariables)
      expect(files.get('till/environments/Sandbox.bru')).toContain(`  ${name}: \n`);
  });

  it('writes requests as Bruno reads them: blocks, indented, closed at the margin', () => {
    expect(files.get('till/Refunds/Give money back A part.bru')).toBe(`meta {
  name: Give money back: A part
  type: http
  seq: 1
}

post {
  url: {{base_url}}/api/v1/payments/:payment_id/refunds
  body: json
  auth: inherit
}

params:path {
  payment_id: {{payment_id}}
}

headers {
  Idempotency-Key: {{$guid}}
}

body:json {
  {
    "amount": 500,
    "customer": "{{customer_id}}",
    "method": "{{payment_method_id}}"
  }
}

vars:post-response {
  refund_id: res.body.id
}
`);
    expect(files.get('till/Refunds/List them.bru')).toContain('params:query {\n  ~page: \n}');
    expect(files.get('till/Files/Upload.bru')).toContain(
      'body:multipart-form {\n  file: @file(receipt.pdf)\n}',
    );
  });
});

/** What a reader of the archive finds, by its directory. */
function unzip(archive: Buffer): Map<string, string> {
  const end = archive.subarray(-22);
  expect(end.readUInt32LE(0)).toBe(0x06054b50);
  const found = new Map<string, string>();
  let at = end.readUInt32LE(16);
  for (let count = end.readUInt16LE(10); count > 0; count -= 1) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const file = archive.readUInt32LE(at + 42);
    expect(archive.readUInt32LE(file)).toBe(0x04034b50);
    const start = file + 30 + archive.readUInt16LE(file + 26);
    const content = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)));
    expect(crc32(content)).toBe(archive.readUInt32LE(at + 16));
    expect(content).toHaveLength(archive.readUInt32LE(at + 24));
    found.set(name, content.toString('utf8'));
    at += 46 + nameLength;
  }
  expect(at).toBe(archive.length - 22);
  return found;
}

describe('zip', () => {
  it('packs files that a reader gets back, with any text in names and content', () => {
    const entries = [
      { path: 'a/ü.txt', text: 'ünïcode €' },
      { path: 'empty', text: '' },
      { path: 'long.txt', text: 'x'.repeat(100_000) },
    ];
    expect([...unzip(zip(entries))]).toEqual(entries.map(({ path, text }) => [path, text]));
  });

  it('gives the same bytes for the same files', () => {
    const entries = [{ path: 'a', text: 'b' }];
    expect(zip(entries).equals(zip(entries))).toBe(true);
  });
});
