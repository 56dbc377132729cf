import { createHash } from 'node:crypto';
import { fileBytesMax } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi } from '../disputes/api/test-api.ts';
import { createDisputeKit, type DisputeKit } from '../disputes/test-kit.ts';
import { fileRoutes } from './routes.ts';
import { FileStore } from './store.ts';
import { UploadQueue } from './upload-queue.ts';

const files = '/api/v1/files';
const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');

let kit: DisputeKit;
let app: FastifyInstance;
let shop: string;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = await kit.openAccount();
  const built = createTestApi(kit);
  app = built.app;
  fileRoutes(built.api, {
    store: new FileStore(kit.db),
    clock: kit.clock,
    randomBytes: kit.deps.randomBytes,
    uploads: new UploadQueue(),
  });
  app.post('/plain', (request, reply) => reply.send({ body: (request.body as Buffer).toString() }));
  await app.ready();
});

afterAll(async () => {
  await app.close();
  await kit.drop();
});

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly content: Buffer | string;
}

const boundary = 'till-test-boundary';

function form(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, filename, content }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

async function send(
  payload: Buffer | string,
  type = `multipart/form-data; boundary=${boundary}`,
  key = shop,
) {
  const reply = await app.inject({
    method: 'POST',
    url: files,
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    payload,
  });
  return { status: reply.statusCode, body: JSON.parse(reply.body), headers: reply.headers };
}

const upload = (content: Buffer, filename = 'receipt.pdf') =>
  send(form([{ name: 'file', filename, content }]));

async function retrieve(id: string, key = shop) {
  const reply = await app.inject({ url: `${files}/${id}`, headers: { authorization: `Bearer ${key}` } });
  return { status: reply.statusCode, body: JSON.parse(reply.body) };
}

describe('uploading', () => {
  it.each([
    ['application/pdf', pdf],
    ['image/png', png],
    ['image/jpeg', jpeg],
  ])('detects %s by its first bytes', async (type, content) => {
    const { status, body } = await upload(content, 'evidence.txt');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^file_[a-z0-9]{24}$/),
      object: 'file',
      name: 'evidence.txt',
      content_type: type,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      livemode: false,
      created: expect.any(Number),
    });
    expect((await retrieve(body.id)).body).toEqual(body);
    const kept = await new FileStore(kit.db).contents(kit.context(shop), [body.id]);
    expect(Buffer.from(kept.get(body.id) ?? [])).toEqual(content);
  });

  it('ignores other fields, such as a purpose', async () => {
    const parts = [
      { name: 'purpose', content: 'dispute_evidence' },
      { name: 'file', filename: 'a.pdf', content: pdf },
    ];
    expect((await send(form(parts))).status).toBe(201);
    expect((await send(form(parts.toReversed()))).status).toBe(201);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.pdf', 'a.pdf'],
    ['a\u0000b\u202Ec.pdf', 'a b c.pdf'],
    ['%22quoted%22.pdf', '%22quoted%22.pdf'],
    [`${'x'.repeat(300)}.pdf`, 'x'.repeat(255)],
  ])('stores the name %j without unsafe characters', async (filename, name) => {
    const { status, body } = await upload(pdf, filename);
    expect(status).toBe(201);
    expect(body.name).toBe(name);
  });

  it.each([
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['a page that only says it is a PDF', Buffer.from('<html>%PDF-1.7</html>')],
    ['a GIF', Buffer.from('GIF89a')],
  ])('422 for %s', async (_what, content) => {
    const { status, body } = await upload(content);
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'invalid_params', param: 'file' });
  });

  it('accepts 5 MiB and not a byte more', async () => {
    const largest = Buffer.concat([pdf, Buffer.alloc(fileBytesMax - pdf.length)]);
    expect((await upload(largest)).body).toMatchObject({ size: fileBytesMax });
    const { status, body } = await upload(Buffer.concat([largest, Buffer.alloc(1)]));
    expect(status).toBe(413);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', code: 'body_too_large' });
  });

  it.each([
    ['JSON', JSON.stringify({ file: 'x' }), 'application/json', 400, 'missing_field'],
    ['a form without boundary', form([]), 'multipart/form-data', 400, 'missing_field'],
    [
      'a form that ends too early',
      form([{ name: 'file', filename: 'a', content: pdf }]).subarray(0, -20),
      undefined,
      400,
      'missing_field',
    ],
    ['a form without a file', form([{ name: 'file', content: 'x' }]), undefined, 422, 'invalid_params'],
    [
      'a file in another part',
      form([{ name: 'document', filename: 'a.pdf', content: pdf }]),
      undefined,
      422,
      'invalid_params',
    ],
    [
      'two files',
      form([
        { name: 'file', filename: 'a.pdf', content: pdf },
        { name: 'file', filename: 'b.pdf', content: pdf },
      ]),
      undefined,
      422,
      'invalid_params',
    ],
    ['a prototype as a field', form([{ name: '__proto__', content: 'x' }]), undefined, 400, 'missing_field'],
  ])('400 missing_field or 422 invalid_params for %s', async (_what, payload, type, status, code) => {
    const reply = await send(payload, type);
    expect(reply.status).toBe(status);
    expect(reply.body.error).toMatchObject({ code, request_id: reply.headers['service-request-id'] });
  });

  it('401 without a key, before the body is read', async () => {
    const reply = await send(form([{ name: 'file', filename: 'a.pdf', content: pdf }]), undefined, 'nobody');
    expect(reply).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
  });

  it('forms are parsed at this address only', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/plain',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      payload: form([{ name: 'a', content: 'b' }]),
    });
    expect(reply.json()).toMatchObject({ body: expect.stringContaining('name="a"') });
  });
});

describe('retrieving', () => {
  it('404 for an unknown id and another merchant’s', async () => {
    const { body } = await upload(pdf);
    const other = await kit.openAccount();
    expect((await retrieve(body.id, other)).body.error.code).toBe('not_found');
    expect((await retrieve('file_000000000000000000000000')).body.error.code).toBe('not_found');
    expect((await retrieve('x')).body.error.code).toBe('not_found');
  });
});
