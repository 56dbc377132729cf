import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { createPayment, type PaymentParts } from './create-payment.ts';
import { listPayments } from './list-payments.ts';
import { presentPayment } from './present.ts';
import { retrievePayment } from './retrieve-payment.ts';
import { checkActivation } from './rules.ts';

export function paymentRoutes(api: MerchantApi<AccountContext, Claim>, parts: PaymentParts): void {
  api.mount(
    merchantApi.createPayment,
    ({ caller, body, client, claim, resumes }) =>
      createPayment(parts, caller, { request: body, client, claim, resumes }),
    checkActivation,
  );
  api.mount(merchantApi.retrievePayment, async ({ caller, params }) => ({
    status: 200,
    body: presentPayment(await retrievePayment(parts.store, caller, params.id ?? '')),
  }));
  api.mount(merchantApi.listPayments, async ({ caller, query }) => ({
    status: 200,
    body: await listPayments(parts.store, caller, query),
  }));
}
