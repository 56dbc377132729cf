import { ApiError, invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { retrieveDispute } from '../deadlines/retrieve-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { knownPosition } from '../notifications/merge-facts.ts';
import type { DisputeRow } from '../present.ts';
import { liesAhead, type Position } from '../state.ts';
import { type TestDisputeDependencies, waitForDispute } from './open-dispute.ts';

/**
 * Lets the issuer or the scheme behind the simulated processor take a dispute further.
 * @returns the dispute once the processor's notification has led it there
 * @throws ApiError `not_found`; `invalid_params` for a position that does not lie ahead, or a dispute that the simulator
 *   does not know; `provider_unavailable` where the notification does not arrive
 */
export async function moveTestDispute(
  deps: Omit<TestDisputeDependencies, 'disputes'> & { readonly disputes: DisputeDependencies },
  context: AccountContext,
  disputeId: string,
  to: Position,
): Promise<DisputeRow> {
  const dispute = await retrieveDispute(deps.disputes, context, disputeId);
  if (!liesAhead(knownPosition(dispute), to)) {
    throw invalidParam(
      'status',
      `A dispute in ${dispute.state}, ${dispute.status} cannot become ${to.state}, ${to.status}.`,
    );
  }
  if (!(await deps.simulator.move(context, dispute.upstream_id, to))) {
    throw invalidParam('status', 'The simulated processor does not know this dispute.');
  }
  await deps.deliver(context.accountId);
  const moved = await waitForDispute(
    deps.disputes,
    context,
    dispute.upstream_id,
    ({ state, status }) => state === to.state && status === to.status,
  );
  if (moved !== undefined) return moved;
  throw new ApiError('provider_unavailable', "The processor's notification has not arrived yet.", {
    retryAfterSeconds: 2,
  });
}
