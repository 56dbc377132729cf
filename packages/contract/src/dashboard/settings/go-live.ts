import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** The requirements for live payments, in the order in which they are met. */
export const goLiveRequirements = [
  'two_factor',
  'webhook',
  'connection',
  'activation',
  'credentials',
  'processor_check',
  'https',
  'mail',
] as const;

/** One requirement and its state. */
export const GoLiveRequirement = Type.Object({
  id: Type.Enum(goLiveRequirements),
  done: Type.Boolean(),
  /** False if simulators replace the live processors, so that no real money moves. */
  required: Type.Boolean(),
  /** More details about what is missing. Null if there are none. */
  detail: Nullable(Type.String()),
});
export type GoLiveRequirement = Static<typeof GoLiveRequirement>;

/** Everything that an account still needs before its first live payment. */
export const GoLive = Type.Object({
  /** Whether `switchEnvironment` would allow the account to go live. */
  ready: Type.Boolean(),
  requirements: Type.Array(GoLiveRequirement),
});
export type GoLive = Static<typeof GoLive>;

export const goLiveApi = {
  /** Also asks the processor whether it accepts the live credentials. */
  retrieveGoLive: {
    id: 'retrieveGoLive',
    method: 'GET',
    path: '/accounts/:account/go_live',
    roles: rolesFor.developing,
    answers: { 200: GoLive },
  },
} as const satisfies Record<string, DashboardOperation>;
