import { describe, expect, it } from 'vitest';
import { type ApiDocument, DocumentedApi, type HttpExchange } from './api-document.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const thing = {
  type: 'object',
  properties: { id: { type: 'string' }, size: { type: 'integer' } },
  required: ['id'],
};
const error = { description: '`not_found`', content: json({ type: 'object' }) };

const document = {
  openapi: '3.1.0',
  paths: {
    '/api/v1/things': {
      post: {
        parameters: [
          { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', minLength: 1 } },
          { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } },
        ],
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            properties: {
              name: { type: 'string' },
              address: { type: 'object', 'x-ignored-where-malformed': true },
            },
            required: ['name'],
          }),
        },
        responses: {
          201: { description: 'Made', content: json({ $ref: '#/components/schemas/Thing' }) },
          404: error,
        },
      },
    },
    '/api/v1/things/{id}': { get: { responses: { 200: { description: 'It', content: json(thing) } } } },
    '/api/v1/things/stream': {
      get: { responses: { 200: { description: 'All', content: { 'text/event-stream': {} } } } },
    },
  },
  components: { schemas: { Thing: thing } },
} as unknown as ApiDocument;

const api = new DocumentedApi(document);
const made: HttpExchange = {
  method: 'POST',
  url: '/api/v1/things?page=2',
  requestHeaders: new Headers({ 'idempotency-key': 'k', 'content-type': 'application/json' }),
  requestBody: '{"name":"a"}',
  status: 201,
  contentType: 'application/json; charset=utf-8',
  answer: '{"id":"t"}',
};
const get = { method: 'GET', requestBody: undefined, status: 200, url: '/api/v1/things/t' };

describe('an exchange that is as documented', () => {
  it.each<[string, Partial<HttpExchange>]>([
    ['a creation', {}],
    [
      'with a field that is unknown and one that may be malformed',
      { requestBody: '{"name":"a","x":1,"address":7}' },
    ],
    ['a refusal of anything', { status: 404, requestBody: '[', answer: '{"error":{"code":"not_found"}}' }],
    ['one by its id, in another spelling', { ...get, url: 'http://x.test/api/v1/th%69ngs/t/?a=1#b' }],
    ['one without its body', { ...get, method: 'HEAD', answer: '' }],
    [
      'a stream',
      { ...get, url: '/api/v1/things/stream', contentType: 'text/event-stream', answer: undefined },
    ],
    ['nothing at another address', { url: '/api/v1/none', status: 404, answer: '{"error":{"code":"x"}}' }],
  ])('has no fault: %s', (_, changes) => {
    expect(api.faults({ ...made, ...changes })).toEqual([]);
  });
});

describe('what the document does not say', () => {
  it.each<[string, Partial<HttpExchange>, string]>([
    ['an address', { url: '/api/v1/none' }, 'is not documented here'],
    ['a method', { ...get, method: 'PUT' }, 'is not documented here'],
    ['a status', { status: 202 }, 'status is not documented'],
    ['an error code', { status: 404, answer: '{"error":{"code":"gone"}}' }, 'error code gone'],
    ['a content type of the answer', { contentType: 'text/html' }, 'content type text/html'],
    ['a property of the answer', { answer: '{"id":"t","extra":1}' }, 'additionalProperty":"extra"'],
    ['a type in the answer', { answer: '{"id":7}' }, '/id must be string'],
    ['a property that the answer lacks', { answer: '{"size":7}' }, "'id'"],
    ['an accepted body', { requestBody: '{"name":null}' }, '/name must be string'],
    [
      'an accepted body of another type',
      { requestHeaders: new Headers({ 'idempotency-key': 'k' }) },
      'a body of',
    ],
    [
      'an accepted request without a body',
      { requestBody: undefined, requestHeaders: new Headers({ 'idempotency-key': 'k' }) },
      'body is required',
    ],
    ['an accepted parameter', { url: '/api/v1/things?page=0' }, 'page:  must be >= 1'],
    [
      'an accepted request without a header',
      { requestHeaders: new Headers({ 'content-type': 'application/json' }) },
      'Idempotency-Key is required',
    ],
  ])('is found: %s', (_, changes, fault) => {
    expect(api.faults({ ...made, ...changes })).toEqual([expect.stringContaining(fault)]);
  });
});
