import type { DisputeListQuery } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { listAsText, placeOfPage } from '../../lib/list.ts';
import { writeDispute } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { listDisputeRows } from '../reads.ts';

/** One page of the merchant's disputes as text, most recent first. */
export async function listDisputes(
  deps: DisputeDependencies,
  context: AccountContext,
  query: DisputeListQuery,
): Promise<string> {
  const { rows, total } = await listDisputeRows(deps.db, context, query);
  return listAsText(
    rows.map((row) => writeDispute(deps, context, row)),
    total,
    placeOfPage(query),
  );
}
