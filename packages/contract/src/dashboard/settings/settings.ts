import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, Provider } from '../../primitives/common.ts';
import { patterns } from '../../primitives/patterns.ts';

export const accountNameLength = 255;

const Environment = Type.Enum(['sandbox', 'live']);
const ConnectionStatus = Type.Enum(['connected', 'disconnected']);
const ThreeDSecureSetting = Type.Enum(['off', 'enabled', 'always']);
const CardFields = Type.Enum(['default', 'first_party', 'processor']);

/** What an account is and how it takes payments. */
export const Settings = Type.Object({
  id: Type.String(),
  /** As buyers see it. */
  name: Type.String(),
  processor: Provider,
  environment: Environment,
  /** Set by the operator. */
  activation: Type.Enum(['not_activated', 'active', 'suspended', 'restricted', 'closed']),
  created_at: IsoTime,
  /** IANA name of the zone in which the books are kept. */
  time_zone: Type.String(),
  store_payment_method_default: Type.Boolean(),
  connection: Type.Object({
    status: ConnectionStatus,
    three_d_secure: ThreeDSecureSetting,
    /** How live payments reach the processor; `simulated`: the operator lets the simulator stand in for it. */
    live: Type.Enum(['ready', 'simulated', 'credentials_missing']),
    /**
     * Whose fields take live cards on the hosted page: those of this server, or the processor's own in its frames. Null
     * where the processor has none.
     */
    card_fields: Nullable(
      Type.Object({
        chosen: CardFields,
        /** What `default` is now; null while the live connection is not set up. */
        default: Nullable(Type.Enum(['first_party', 'processor'])),
      }),
    ),
  }),
});
export type Settings = Static<typeof Settings>;

/** An API key that a change of the environment concerns. */
export const ConcernedKey = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String()),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  created_at: IsoTime,
  /** To the minute; null: never. */
  last_used_at: Nullable(IsoTime),
});
export type ConcernedKey = Static<typeof ConcernedKey>;

/** What a change to the other environment would do. */
export const EnvironmentChange = Type.Object({
  environment: Environment,
  target: Environment,
  /** Why it is not possible; null: it is. */
  refusal: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  /** They will answer `key_mode_mismatch`. Newest first. */
  stopping_keys: Type.Array(ConcernedKey),
  /** They will work again. */
  returning_keys: Type.Array(ConcernedKey),
});
export type EnvironmentChange = Static<typeof EnvironmentChange>;

/** What an account is set to. Everybody may look; each change is audited with what was there before. */
export const settingsApi = {
  retrieveSettings: {
    id: 'retrieveSettings',
    method: 'GET',
    path: '/accounts/:account/settings',
    roles: rolesFor.viewing,
    answers: { 200: Settings },
  },
  updateBusiness: {
    id: 'updateBusiness',
    method: 'PATCH',
    path: '/accounts/:account/settings/business',
    roles: rolesFor.managing,
    body: Type.Object({
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: accountNameLength, pattern: patterns.notBlank }),
      ),
      time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
    answers: { 200: Settings },
    audit: 'business.changed',
  },
  updatePaymentSettings: {
    id: 'updatePaymentSettings',
    method: 'PATCH',
    path: '/accounts/:account/settings/payments',
    roles: rolesFor.managing,
    body: Type.Object({ store_payment_method_default: Type.Boolean() }),
    answers: { 200: Settings },
    audit: 'payment_settings.changed',
  },
  updateConnection: {
    id: 'updateConnection',
    method: 'PATCH',
    path: '/accounts/:account/settings/connection',
    roles: rolesFor.managing,
    confirmation: true,
    body: Type.Object({
      status: Type.Optional(ConnectionStatus),
      three_d_secure: Type.Optional(ThreeDSecureSetting),
      card_fields: Type.Optional(CardFields),
    }),
    answers: { 200: Settings },
    audit: 'connection.changed',
  },
  previewEnvironment: {
    id: 'previewEnvironment',
    method: 'GET',
    path: '/accounts/:account/environment',
    roles: rolesFor.managing,
    answers: { 200: EnvironmentChange },
  },
  /**
   * To the other environment. Refused with `conflict` where the keys that stop working are not those that the person
   * was shown, and where the account is there already.
   */
  switchEnvironment: {
    id: 'switchEnvironment',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/environment',
    roles: rolesFor.managing,
    confirmation: true,
    body: Type.Object({
      environment: Environment,
      /** The account's name, as typed. */
      name: Type.String({ maxLength: accountNameLength }),
      /** Ids of `stopping_keys` as shown. */
      keys: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 10_000 }),
    }),
    answers: { 200: Settings },
    audit: 'environment.switched',
  },
} as const satisfies Record<string, DashboardOperation>;
