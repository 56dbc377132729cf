import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery } from '../../primitives/common.ts';
import { KeyRestriction, NewKeyRestriction } from './key-restriction.ts';

/** The longest that a rolled key may work beside its successor: 30 days. */
export const maxOverlapSeconds = 30 * 24 * 3600;

/** An API key without its secret. */
export const ApiKey = Type.Object({
  id: Type.String(),
  /** Null for keys that were made before keys had names. */
  name: Nullable(Type.String()),
  livemode: Type.Boolean(),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  /** `other_environment`: the account is in the other one, so requests with it answer key_mode_mismatch. */
  state: Type.Enum(['active', 'other_environment', 'revoked', 'expired']),
  /** E-mail address; null: the operator at the command line. */
  created_by: Nullable(Type.String()),
  created_at: IsoTime,
  /** To the minute; null: never. */
  last_used_at: Nullable(IsoTime),
  revoked_at: Nullable(IsoTime),
  /** When a key that was rolled stops working; null: it was not rolled. */
  expires_at: Nullable(IsoTime),
  /** Null: a full key, which may do everything. */
  restriction: Nullable(KeyRestriction),
});
export type ApiKey = Static<typeof ApiKey>;

/** Keys for the merchant's server. All times are real time, but for the end of a restricted key. */
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
   * Of the environment that the account is in. A live key moves real money without limits of roles, so that developers make
   * keys of the sandbox only.
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
      /** Left out for a full key. */
      restriction: Type.Optional(NewKeyRestriction),
    }),
    answers: {
      201: Type.Object({
        key: ApiKey,
        /** Shown this once. */
        secret_key: Type.String(),
      }),
    },
    audit: 'api_key.created',
  },
  /** A new key of the same name and restriction; the old one is refused from a later time on, or at once. */
  rollApiKey: {
    id: 'rollApiKey',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/api_keys/:id/roll',
    roles: rolesFor.managing,
    sandboxRoles: ['developer'],
    confirmation: true,
    body: Type.Object({
      /** For how many seconds the old key works on. */
      expires_in: Type.Integer({ minimum: 0, maximum: maxOverlapSeconds }),
    }),
    answers: {
      201: Type.Object({
        key: ApiKey,
        /** Shown this once. */
        secret_key: Type.String(),
        old: ApiKey,
      }),
    },
    audit: 'api_key.rolled',
  },
  /** At once, on every process; again changes nothing. */
  revokeApiKey: {
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/accounts/:account/api_keys/:id',
    roles: rolesFor.developing,
    answers: { 200: ApiKey },
    audit: 'api_key.revoked',
  },
} as const satisfies Record<string, DashboardOperation>;
