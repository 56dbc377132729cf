import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { listAsText, placeOfPage } from '../lib/list.ts';
import { requireApproval } from './decide.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { presentApproval } from './row.ts';
import { listApprovalRows } from './store.ts';

/** The read-only routes of approvals. */
export function approvalRoutes(api: MerchantApi<AccountContext, Claim>, deps: ApprovalDependencies): void {
  api.mount(merchantApi.listApprovals, async ({ caller, query }) => {
    const place = placeOfPage(query);
    const { rows, total } = await listApprovalRows(deps.db, caller, query.status, place);
    const texts = rows.map((row) => deps.write(presentApproval(row, caller)));
    return { status: 200, text: listAsText(texts, total, place) };
  });
  api.mount(merchantApi.retrieveApproval, async ({ caller, params }) => ({
    status: 200,
    text: deps.write(presentApproval(await requireApproval(deps.db, caller, params.id ?? ''), caller)),
  }));
}
