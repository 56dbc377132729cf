import { merchantApi, type RefundCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Answer } from '../http/api/answer-once.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { requirePayment } from '../payments/reads.ts';
import { writeRefund } from './commit-refund.ts';
import { createRefund } from './create-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import { listRefunds, retrieveRefund } from './refunds.ts';

/** Decides whether a refund waits for an approval. @returns the response in that case; null if the refund may proceed */
export type RefundWaits = (
  caller: AccountContext,
  request: RefundCreate,
  asked: { readonly paymentId: string; readonly claim: Claim | null; readonly resumes: string | null },
) => Promise<Answer | null>;

export function refundRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: RefundDependencies,
  waits: RefundWaits = async () => null,
): void {
  api.mount(
    merchantApi.createRefund,
    async ({ caller, params, body, claim, resumes }) => {
      const asked = { paymentId: params.payment_id ?? '', claim, resumes };
      return (await waits(caller, body, asked)) ?? createRefund(deps, caller, { ...asked, request: body });
    },
    undefined,
    (caller, params) => requirePayment(deps.payments.store, caller, params.payment_id ?? ''),
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
