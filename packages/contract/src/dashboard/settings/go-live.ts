import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** What live payments need, in the order in which it is done. */
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

/** One requirement and how it stands. */
export const GoLiveRequirement = Type.Object({
  id: Type.Enum(goLiveRequirements),
  done: Type.Boolean(),
  /** False where simulators stand in for live processors: then no real money moves. */
  required: Type.Boolean(),
  /** What is missing, more closely; null: nothing more is known. */
  detail: Nullable(Type.String()),
});
export type GoLiveRequirement = Static<typeof GoLiveRequirement>;

/** Everything that stands between an account and its first live payment. */
export const GoLive = Type.Object({
  /** Whether `switchEnvironment` would let the account go live. */
  ready: Type.Boolean(),
  requirements: Type.Array(GoLiveRequirement),
});
export type GoLive = Static<typeof GoLive>;

export const goLiveApi = {
  /** Asks the processor whether it takes the live credentials. */
  retrieveGoLive: {
    id: 'retrieveGoLive',
    method: 'GET',
    path: '/accounts/:account/go_live',
    roles: rolesFor.developing,
    answers: { 200: GoLive },
  },
} as const satisfies Record<string, DashboardOperation>;
