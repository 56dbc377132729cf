import type { DisputeListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { writeDispute } from './change-dispute.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { listDisputeRows } from './reads.ts';

/** One page of the merchant's disputes as text, most recent first. */
export async function listDisputes(
  deps: DisputeDependencies,
  context: AccountContext,
  query: DisputeListQuery,
): Promise<string> {
  const { page = 1, per_page: perPage = 20 } = query;
  const { rows, total } = await listDisputeRows(deps.db, context, query);
  const data = rows.map((row) => writeDispute(deps, context, row)).join(',');
  return `{"object":"list","data":[${data}],"has_more":${page * perPage < total},"total_count":${total}}`;
}
