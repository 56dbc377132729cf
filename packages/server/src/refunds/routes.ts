import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { requirePayment } from '../payments/retrieve-payment.ts';
import { writeRefund } from './commit-refund.ts';
import { createRefund } from './create-refund.ts';
import type { RefundParts } from './parts.ts';
import { listRefunds, retrieveRefund } from './refunds.ts';

export function refundRoutes(api: MerchantApi<AccountContext, Claim>, parts: RefundParts): void {
  api.mount(
    merchantApi.createRefund,
    ({ caller, params, body, claim, resumes }) =>
      createRefund(parts, caller, { paymentId: params.payment_id ?? '', request: body, claim, resumes }),
    async (caller, params) =>
      void (await requirePayment(parts.payments.store, caller, params.payment_id ?? '')),
  );
  api.mount(merchantApi.listRefunds, async ({ caller, params, query }) => ({
    status: 200,
    text: await listRefunds(parts, caller, params.payment_id ?? '', query),
  }));
  api.mount(merchantApi.retrieveRefund, async ({ caller, params }) => ({
    status: 200,
    text: writeRefund(parts, await retrieveRefund(parts, caller, params.id ?? '')),
  }));
}
