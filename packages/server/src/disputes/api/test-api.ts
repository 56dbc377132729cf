import { randomBytes } from 'node:crypto';
import { ApiError, namedSchemas } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { AccountContext } from '../../accounts/context.ts';
import { MerchantApi } from '../../http/api/merchant-api.ts';
import { Serializers } from '../../http/api/serialize.ts';
import { createValidator } from '../../http/input/validate.ts';
import { RateLimiter } from '../../http/rate-limit/rate-limit.ts';
import { createApp } from '../../http/server/app.ts';
import type { Claim } from '../../idempotency/claims.ts';
import { Idempotency } from '../../idempotency/idempotency.ts';
import { newId } from '../../lib/ids.ts';
import { deriveKeys } from '../../lib/keys.ts';
import type { DisputeKit } from '../test-kit.ts';

/** Creates a server without routes. Its API keys are the account ids. */
export function createTestApi(kit: DisputeKit): {
  app: FastifyInstance;
  api: MerchantApi<AccountContext, Claim>;
} {
  const { clock, idempotency } = kit;
  const rateLimiter = new RateLimiter({ perSecond: 0, burst: 0, elapsed: clock.elapsed });
  const app = createApp({
    newRequestId: () => newId('req', clock.now(), randomBytes),
    elapsed: clock.elapsed,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter,
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: (error) => {
      throw error;
    },
  });
  const api = new MerchantApi<AccountContext, Claim>({
    app,
    ajv: createValidator(namedSchemas),
    serializers: new Serializers(namedSchemas),
    authenticate: async (key) => {
      if (!key.startsWith('acct_')) throw new ApiError('invalid_api_key', 'Unknown key.');
      return { caller: kit.context(key) };
    },
    idempotency: new Idempotency({
      store: idempotency,
      clock,
      randomBytes,
      keys: deriveKeys(Buffer.alloc(32, 1)),
      instance: { number: 1 },
      leaseMs: 60_000,
    }),
    rateLimiter,
    accountLimiter: rateLimiter,
    onReplay: () => {},
    baseUrl: () => 'http://till.example',
  });
  return { app, api };
}
