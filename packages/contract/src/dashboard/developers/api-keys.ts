import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery } from '../../primitives/common.ts';
import { KeyRestriction, NewKeyRestriction } from './key-restriction.ts';

/** Maximum time for which a rolled key stays valid beside its successor: 30 days. */
export const maxOverlapSeconds = 30 * 24 * 3600;

/** An API key without its secret. */
export const ApiKey = Type.Object({
  id: Type.String(),
  /** Null for keys that were created before keys had names. */
  name: Nullable(Type.String()),
  livemode: Type.Boolean(),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  /**
   * `other_environment`: the account is in the other environment, so requests with the key receive
   * `key_mode_mismatch`.
   */
  state: Type.Enum(['active', 'other_environment', 'revoked', 'expired']),
  /** Email address. Null for the operator at the command line. */
  created_by: Nullable(Type.String()),
  created_at: IsoTime,
  /** Rounded to the minute. Null if the key was never used. */
  last_used_at: Nullable(IsoTime),
  revoked_at: Nullable(IsoTime),
  /** When a rolled key stops working. Null if it was not rolled. */
  expires_at: Nullable(IsoTime),
  /** Null for a full key, which may do everything. */
  restriction: Nullable(KeyRestriction),
});
export type ApiKey = Static<typeof ApiKey>;

/** API keys for the merchant's server. All times are real time, except the end of a restricted key. */
export const apiKeyOperations = {
  listApiKeys: {
    id: 'listApiKeys',
    method: 'GET',
    path: '/accounts/:account/api_keys',
    roles: rolesFor.developing,
    query: Type.Object(PageQuery),
    answers: { 200: PageOf(ApiKey) },
  },
  /**
   * Creates a key for the account's current environment. Developers can create sandbox keys only, since a
   * live key moves real money without the limits of roles.
   */
  createApiKey: {
    id: 'createApiKey',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/api_keys',
    roles: rolesFor.managing,
    sandboxRoles: ['developer'],
    confirmation: true,
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      /** Absent for a full key. */
      restriction: Type.Optional(NewKeyRestriction),
    }),
    answers: {
      201: Type.Object({
        key: ApiKey,
        /** Returned only once. */
        secret_key: Type.String(),
      }),
    },
    audit: 'api_key.created',
  },
  /**
   * Creates a key with the same name and restriction. The old key is rejected at once or from a later time
   * on.
   */
  rollApiKey: {
    id: 'rollApiKey',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/api_keys/:id/roll',
    roles: rolesFor.managing,
    sandboxRoles: ['developer'],
    confirmation: true,
    body: Type.Object({
      /** For how many more seconds the old key remains valid. */
      expires_in: Type.Integer({ minimum: 0, maximum: maxOverlapSeconds }),
    }),
    answers: {
      201: Type.Object({
        key: ApiKey,
        /** Returned only once. */
        secret_key: Type.String(),
        old: ApiKey,
      }),
    },
    audit: 'api_key.rolled',
  },
  /** Takes effect at once in every process. Revoking a key again changes nothing. */
  revokeApiKey: {
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/accounts/:account/api_keys/:id',
    roles: rolesFor.developing,
    answers: { 200: ApiKey },
    audit: 'api_key.revoked',
  },
} as const satisfies Record<string, DashboardOperation>;
