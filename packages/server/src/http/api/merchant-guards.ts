import { ApiError, type GrantedPermission, isGranted, type Operation } from '@till/contract';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { Tenant } from '../../store/tenant.ts';
import { suspendOf } from '../admission/admit.ts';
import { type RateLimiter, requireAllowed } from '../rate-limit/rate-limit.ts';
import { idempotencyKey, scopeOf } from './answer-once.ts';
import { presentedKey } from './authenticate.ts';
import type { Entry, Guards, KeyOwner } from './pipeline.ts';

/** The authenticated caller. Features extend it with the account data that they need. */
export interface CallerIdentity extends Tenant {
  readonly keyId: string;
  /** Null for a key without restrictions. */
  readonly restriction: { readonly permissions: readonly GrantedPermission[] } | null;
}

export interface Authentication {
  /** Called with the owner of a known key, even if the key is then refused; the tenant is that of the account's environment. */
  readonly onKnown?: (owner: Omit<CallerIdentity, 'restriction'>) => void;
  /** Called right before the key is looked up, so the data of the look-up is no older than this call. */
  readonly onLookUp?: () => void;
  /** The scope and the idempotency key of the request, so that the look-up can also read the idempotency record. */
  readonly idempotent?: { readonly scope: string; readonly key: string } | null;
  /** Releases the request's place while it waits. */
  readonly suspend?: Suspend;
  /** The client's address. */
  readonly ip: string;
}

/** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
export type Authenticate<Caller> = (key: string, options: Authentication) => Promise<KeyOwner<Caller>>;

export interface MerchantEntry<Caller> extends Entry {
  readonly operation: Operation;
  /** Null until the API key is known. */
  authenticated: KeyOwner<Caller> | null;
}

export interface MerchantGuardDependencies<Caller> {
  readonly authenticate: Authenticate<Caller>;
  /** Limits the requests per key. */
  readonly rateLimiter: RateLimiter;
  /** Limits the requests per account, so that an account cannot raise its limit with more keys. */
  readonly accountLimiter: RateLimiter;
}

type Asked = MerchantEntry<CallerIdentity>;
type Dependencies = MerchantGuardDependencies<CallerIdentity>;

/** Steps 2 to 4 of the order of checks (decisions, "Order of checks on every write"). */
export const merchantGuards: Guards<Asked, Dependencies> = {
  onArrival: [apiKey, rateOfKey, rateOfAccount, permission, idempotencyKeyHeader],
  onLateBody: [apiKey, permission],
};

/** The authenticated caller. The guards reject every request without a valid API key. */
export function authenticatedOf<Caller>({ authenticated }: MerchantEntry<Caller>): KeyOwner<Caller> {
  if (authenticated === null) throw new Error('nobody is authenticated yet');
  return authenticated;
}

/** @throws ApiError `missing_api_key`, `invalid_api_key`, `key_mode_mismatch` */
async function apiKey(entry: Asked, { authenticate }: Dependencies): Promise<void> {
  const { operation, request } = entry;
  const key = request.headers['idempotency-key'];
  const isIdempotent = operation.idempotency !== 'unused' && typeof key === 'string' && key !== '';
  entry.authenticated = await authenticate(presentedKey(request.raw.rawHeaders), {
    onKnown: ({ tenant, accountId, livemode, keyId }) => {
      request.logFields.account = accountId;
      request.logFields.livemode = livemode;
      request.exchange = { operation, tenant, accountId, livemode, keyId, answer: null, warnings: [] };
      request.authenticated = true;
    },
    onLookUp: () => {
      entry.isCurrent = request.raw.complete;
    },
    idempotent: isIdempotent ? { scope: scopeOf(request), key } : null,
    suspend: suspendOf(request),
    ip: request.ip,
  });
}

/**
 * Requires that a key has the permission for an operation.
 * @throws ApiError `insufficient_scope`
 */
export function requirePermission(
  { permission: needed }: Pick<Operation, 'permission'>,
  { restriction }: Pick<CallerIdentity, 'restriction'>,
): void {
  if (restriction === null || isGranted(restriction.permissions, needed)) return;
  const has = restriction.permissions.join(', ');
  throw new ApiError(
    'insufficient_scope',
    `This restricted key lacks the permission ${needed}; it has ${has}.`,
    {
      param: needed,
    },
  );
}

function permission(entry: Asked): void {
  requirePermission(entry.operation, authenticatedOf(entry).caller);
}

/** The response headers show only this limit. @throws ApiError `rate_limited` */
async function rateOfKey(entry: Asked, { rateLimiter }: Dependencies): Promise<void> {
  if (!rateLimiter.enabled) return;
  const limit = await rateLimiter.take(authenticatedOf(entry).caller.keyId);
  entry.reply.headers({
    'ratelimit-limit': limit.limit,
    'ratelimit-remaining': limit.remaining,
    'ratelimit-reset': limit.resetSeconds,
  });
  requireAllowed(limit, 'Too many requests with this API key. Slow down and retry.');
}

/**
 * Runs after the key's limit: requests that are refused for one key must not use up the limit of the account's other keys.
 * @throws ApiError `rate_limited`
 */
async function rateOfAccount(entry: Asked, { accountLimiter }: Dependencies): Promise<void> {
  if (!accountLimiter.enabled) return;
  const limit = await accountLimiter.take(authenticatedOf(entry).caller.accountId);
  requireAllowed(limit, 'Too many requests of this account. Slow down and retry.');
}

/** @throws ApiError `missing_idempotency_key`, `invalid_params` */
function idempotencyKeyHeader(entry: Asked): void {
  entry.idempotencyKey = idempotencyKey(entry.operation.idempotency, entry.request);
}
