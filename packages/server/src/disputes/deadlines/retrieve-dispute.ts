import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { expireIfOverdue } from './expire-disputes.ts';

/**
 * Finds a dispute in its current state. If its deadline has passed without an answer, accepts it first.
 * @throws ApiError `not_found`, also if the dispute belongs to another merchant or to the other mode
 */
export async function retrieveDispute(
  deps: DisputeDependencies,
  context: AccountContext,
  id: string,
): Promise<DisputeRow> {
  const dispute = /^dsp_[a-z0-9]{24}$/.test(id) ? await deps.store.find(context, id) : undefined;
  if (dispute === undefined) throw new ApiError('not_found', 'There is no dispute with this id.');
  return expireIfOverdue(deps, context, dispute);
}
