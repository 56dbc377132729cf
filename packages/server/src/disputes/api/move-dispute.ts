import { ApiError, invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { retrieveDispute } from '../deadlines/retrieve-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { knownPosition } from '../notifications/merge-facts.ts';
import type { DisputeRow } from '../present.ts';
import { liesAhead, type Position } from '../state.ts';
import { type TestDisputeDependencies, waitForDispute } from './open-dispute.ts';

/**
 * Makes the simulated processor move a dispute to another position, as the issuer or the card scheme would.
 * @returns the dispute, once the processor's notification has moved it there
 * @throws ApiError `not_found`; `invalid_params` if the position does not lie ahead or the simulator does not know the dispute;
 *   `provider_unavailable` if the notification does not arrive
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
