import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { expireIfOverdue } from './expire-disputes.ts';

/**
 * The dispute as it is now: one whose deadline passed without an answer is accepted.
 * @throws ApiError `not_found`, also for another merchant's or the other mode's dispute
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
