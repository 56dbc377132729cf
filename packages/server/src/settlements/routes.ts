import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { Queryable } from '../store/database.ts';
import { listPayoutLines, listPayouts, requirePayout } from './payouts.ts';
import { presentPayout } from './present.ts';

/** The read-only payout routes of the merchant API. Reports are imported in the dashboard and at the command line. */
export function payoutRoutes(api: MerchantApi<AccountContext, Claim>, db: Queryable): void {
  api.mount(merchantApi.listPayouts, async ({ caller, query }) => ({
    status: 200,
    body: await listPayouts(db, caller, query),
  }));
  api.mount(merchantApi.retrievePayout, async ({ caller, params }) => ({
    status: 200,
    body: presentPayout(await requirePayout(db, caller, params.id ?? ''), caller),
  }));
  api.mount(merchantApi.listPayoutLines, async ({ caller, params, query }) => ({
    status: 200,
    body: await listPayoutLines(db, caller, params.id ?? '', query),
  }));
}
