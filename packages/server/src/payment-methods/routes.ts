import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { createClientToken } from './client-token.ts';
import { listPaymentMethods, type PaymentMethodParts, retrievePaymentMethod } from './payment-methods.ts';
import { presentPaymentMethod } from './present.ts';
import { removePaymentMethod } from './remove-payment-method.ts';

export function paymentMethodRoutes(
  api: MerchantApi<AccountContext, Claim>,
  parts: PaymentMethodParts,
): void {
  api.mount(merchantApi.listPaymentMethods, async ({ caller, params, query }) => ({
    status: 200,
    body: await listPaymentMethods(parts, caller, params.id ?? '', query),
  }));
  api.mount(merchantApi.retrievePaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: presentPaymentMethod(await retrievePaymentMethod(parts, caller, params.id ?? ''), caller.now),
  }));
  api.mount(merchantApi.deletePaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: await removePaymentMethod(parts, caller, params.id ?? '', null),
  }));
  api.mount(merchantApi.deleteCustomerPaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: await removePaymentMethod(parts, caller, params.id ?? '', params.customer_id ?? ''),
  }));
  api.mount(merchantApi.createClientToken, async ({ caller, body }) => ({
    status: 201,
    body: await createClientToken(parts, caller, body),
  }));
}
