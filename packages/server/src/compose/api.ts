import { ApiError, namedSchemas } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import type { AccountContext } from '../accounts/context.ts';
import { elsewhere } from '../cells/directory.ts';
import { home } from '../cells/store.ts';
import { MerchantApi } from '../http/api/merchant-api.ts';
import type { Authenticate as AuthenticateKey } from '../http/api/merchant-guards.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { createValidator } from '../http/input/validate.ts';
import type { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import type { Claim } from '../idempotency/claims.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/store.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';
import { otherCellCheck } from './account-of-request.ts';
import { leaseMs, type ServerDependencies } from './dependencies.ts';

export type Authenticate = AuthenticateKey<AccountContext>;

/** Idempotency of the merchant API and the dashboard: finds out whether a request with an `Idempotency-Key` is the first one. */
export const composeIdempotency = (
  { config, clock, keys, instance }: ServerDependencies,
  store: IdempotencyStore,
  randomBytes: RandomBytes,
): Idempotency => new Idempotency({ store, clock, keys, randomBytes, instance, leaseMs: leaseMs(config) });

/**
 * Wraps authentication for an installation with several cells. The account of a key may have moved to another cell, whether or
 * not this cell still knows the key. Such a request is refused, so that the client retries it.
 */
export function authenticateIn(
  server: Pick<ServerDependencies, 'within' | 'directory'>,
  authenticate: Authenticate,
): Authenticate {
  const { within, directory = within?.directory } = server;
  if (directory === undefined) return authenticate;
  const isElsewhere = otherCellCheck(server);
  return async (key, options) => {
    try {
      const authenticated = await authenticate(key, options);
      if (isElsewhere(authenticated.caller.accountId)) throw elsewhere();
      if (directory.isDivided) directory.noteKey(sha256(key), authenticated.caller.accountId);
      return authenticated;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_api_key') {
        await directory.requireNowhereElse(sha256(key), within?.cell ?? home);
      }
      throw error;
    }
  };
}

/** The merchant API without its routes: authentication, idempotency, validation and serialization. */
export function composeApi(
  { metrics }: ServerDependencies,
  built: {
    app: FastifyInstance;
    authenticate: Authenticate;
    idempotency: Idempotency;
    serializers: Serializers;
    rateLimiter: RateLimiter;
    accountLimiter: RateLimiter;
    publicAddress: () => string;
  },
): MerchantApi<AccountContext, Claim> {
  return new MerchantApi<AccountContext, Claim>({
    ...built,
    ajv: createValidator(namedSchemas),
    onReplay: () => metrics.idempotencyReplays.inc(),
    baseUrl: built.publicAddress,
  });
}
