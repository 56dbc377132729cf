import { ApiError, merchantApi, namedSchemas } from '@till/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TenantId } from '../../store/tenant.ts';
import { holdBody, sendWhole } from '../input/test-held-body.ts';
import { createValidator } from '../input/validate.ts';
import { RateLimiter } from '../rate-limit/rate-limit.ts';
import { createApp } from '../server/app.ts';
import { MerchantApi } from './merchant-api.ts';
import { Serializers } from './serialize.ts';

const customers = '/api/v1/customers';
const caller = {
  tenant: 1 as TenantId,
  accountId: 'acct_1',
  livemode: false,
  keyId: 'key_1',
  restriction: null,
};

let lookUps = 0;
let revoked = false;
let worked = 0;
let baseUrl: string;

const rateLimiter = new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 });
const app = createApp({
  newRequestId: () => 'req_1',
  elapsed: () => 0,
  baseUrl: () => 'http://till.example',
  trustProxy: [],
  rateLimiter,
  isUnavailable: () => false,
  onRequestDone: () => {},
  onUnexpected: (error) => {
    throw error;
  },
});
const api = new MerchantApi({
  app,
  ajv: createValidator(namedSchemas),
  serializers: new Serializers(namedSchemas),
  // Like the real authentication, which batches look-ups and so resolves one iteration of the event loop later.
  authenticate: async (_key, { onLookUp }) => {
    await new Promise((resolve) => setImmediate(resolve));
    onLookUp?.();
    lookUps += 1;
    if (revoked) throw new ApiError('invalid_api_key', 'The API key is not known or was revoked.');
    return { caller };
  },
  idempotency: {
    find: async () => ({ kind: 'new', claim: {} }),
    finished: () => {},
    release: async () => {},
  },
  rateLimiter,
  accountLimiter: rateLimiter,
  onReplay: () => {},
  baseUrl: () => 'http://till.example',
});

beforeAll(async () => {
  api.mount(merchantApi.createCustomer, async () => {
    worked += 1;
    return { status: 201, text: '{}' };
  });
  api.mount(merchantApi.listCustomers, async () => ({ status: 200, text: '{}' }));
  baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });
});
beforeEach(() => {
  lookUps = 0;
  revoked = false;
  worked = 0;
});
afterAll(() => app.close());

const headers = { authorization: 'Bearer sk_test_x', 'content-type': 'application/json' };
const body = JSON.stringify({ email: 'jane@shop.example' });
const create = { method: 'POST', path: customers, headers };
const held = () => holdBody(baseUrl, create, body.length);

it('the key is looked up once where the body came with the headers', async () => {
  for (let time = 0; time < 20; time += 1) {
    expect((await sendWhole(baseUrl, create, body)).status).toBe(201);
    expect((await fetch(`${baseUrl}${customers}`, { headers })).status).toBe(200);
  }
  expect([lookUps, worked]).toEqual([40, 20]);
});

it('the key is looked up again where the body came later', async () => {
  const request = await held();
  expect((await request.finish(body)).status).toBe(201);
  expect([lookUps, worked]).toEqual([2, 1]);
});

it('401 and no effect for a key that was revoked before the body came', async () => {
  const request = await held();
  revoked = true;
  const reply = await request.finish(body);
  expect([reply.status, reply.body.error.code, worked]).toEqual([401, 'invalid_api_key', 0]);
});
