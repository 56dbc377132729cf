import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, Provider } from '../../primitives/common.ts';
import { patterns } from '../../primitives/patterns.ts';

export const accountNameLength = 255;

const Environment = Type.Enum(['sandbox', 'live']);
const ConnectionStatus = Type.Enum(['connected', 'disconnected']);
const ThreeDSecureSetting = Type.Enum(['off', 'enabled', 'always']);
const CardFields = Type.Enum(['default', 'first_party', 'processor']);

/** An account's properties and how it accepts payments. */
export const Settings = Type.Object({
  id: Type.String(),
  /** The name that buyers see. */
  name: Type.String(),
  processor: Provider,
  environment: Environment,
  /** Set by the operator. */
  activation: Type.Enum(['not_activated', 'active', 'suspended', 'restricted', 'closed']),
  created_at: IsoTime,
  /** IANA name of the time zone for bookkeeping. */
  time_zone: Type.String(),
  store_payment_method_default: Type.Boolean(),
  connection: Type.Object({
    status: ConnectionStatus,
    three_d_secure: ThreeDSecureSetting,
    /** How live payments reach the processor. `simulated`: the operator has replaced it by the simulator. */
    live: Type.Enum(['ready', 'simulated', 'credentials_missing']),
    /**
     * Which fields accept live cards on the hosted page: those of this server, or the processor's own in its
     * frames. Null if the processor has none.
     */
    card_fields: Nullable(
      Type.Object({
        chosen: CardFields,
        /** The current meaning of `default`. Null as long as the live connection is not set up. */
        default: Nullable(Type.Enum(['first_party', 'processor'])),
      }),
    ),
  }),
});
export type Settings = Static<typeof Settings>;

/** An API key that a change of the environment affects. */
export const ConcernedKey = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String()),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  created_at: IsoTime,
  /** Rounded to the minute. Null if the key was never used. */
  last_used_at: Nullable(IsoTime),
});
export type ConcernedKey = Static<typeof ConcernedKey>;

/** The effects of a change to the other environment. */
export const EnvironmentChange = Type.Object({
  environment: Environment,
  target: Environment,
  /** Why the change is not possible. Null if it is. */
  refusal: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  /** Keys that will receive `key_mode_mismatch`, newest first. */
  stopping_keys: Type.Array(ConcernedKey),
  /** Keys that will work again. */
  returning_keys: Type.Array(ConcernedKey),
});
export type EnvironmentChange = Static<typeof EnvironmentChange>;

/** The settings of an account. All members may read them. Each change is audited with the previous values. */
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
   * Switches to the other environment. The response is `conflict` if the keys that stop working differ from
   * those that the person saw, or if the account is already in that environment.
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
      /** The account's name, as the person typed it. */
      name: Type.String({ maxLength: accountNameLength }),
      /** Ids of `stopping_keys` as the person saw them. */
      keys: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 10_000 }),
    }),
    answers: { 200: Settings },
    audit: 'environment.switched',
  },
} as const satisfies Record<string, DashboardOperation>;
