import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { requirePayment } from '../payments/reads.ts';
import { writeRefund } from './commit-refund.ts';
import { createRefund } from './create-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import { listRefunds, retrieveRefund } from './refunds.ts';

export function refundRoutes(api: MerchantApi<AccountContext, Claim>, deps: RefundDependencies): void {
  api.mount(
    merchantApi.createRefund,
    ({ caller, params, body, claim, resumes }) =>
      createRefund(deps, caller, { paymentId: params.payment_id ?? '', request: body, claim, resumes }),
    async (caller, params) =>
      void (await requirePayment(deps.payments.store, caller, params.payment_id ?? '')),
  );
  api.mount(merchantApi.listRefunds, async ({ caller, params, query }) => ({
    status: 200,
    text: await listRefunds(deps, caller, params.payment_id ?? '', query),
  }));
  api.mount(merchantApi.retrieveRefund, async ({ caller, params }) => ({
    status: 200,
    text: writeRefund(deps, caller, await retrieveRefund(deps, caller, params.id ?? '')),
  }));
}
