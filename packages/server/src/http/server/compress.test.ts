import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { compressForPage } from './compress.ts';

const text = JSON.stringify(Array.from({ length: 500 }, (_none, index) => ({ id: `pay_${index}` })));
const app = Fastify();
app.get('/long', async (request, reply) => reply.send(compressForPage(request, reply, text)));
app.get('/short', async (request, reply) => reply.send(compressForPage(request, reply, '{}')));

const own = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip, br' };
const get = (url: string, headers: Record<string, string>) => app.inject({ method: 'GET', url, headers });

it('a long answer to our own page is compressed', async () => {
  const { headers, rawPayload } = await get('/long', own);
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding, sec-fetch-site' });
  expect(gunzipSync(rawPayload).toString()).toBe(text);
  expect(rawPayload.length).toBeLessThan(text.length / 4);
});

it.each([
  ['that another site asks for', '/long', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['of which the browser does not say who asks', '/long', { 'accept-encoding': 'gzip' }],
  ['to a browser that takes no gzip', '/long', { ...own, 'accept-encoding': 'gzip;q=0' }],
  ['that is short', '/short', own],
])('an answer %s is sent as it is', async (_name, url, headers) => {
  const reply = await get(url, headers);
  expect(reply.headers['content-encoding']).toBeUndefined();
  expect(reply.body).toBe(url === '/long' ? text : '{}');
});
