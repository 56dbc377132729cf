import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { createClientToken } from './client-token.ts';
import {
  listPaymentMethods,
  type PaymentMethodDependencies,
  retrievePaymentMethod,
} from './payment-methods.ts';
import { presentPaymentMethod } from './present.ts';
import { removePaymentMethod } from './remove-payment-method.ts';

export function paymentMethodRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: PaymentMethodDependencies,
): void {
  api.mount(merchantApi.listPaymentMethods, async ({ caller, params, query }) => ({
    status: 200,
    body: await listPaymentMethods(deps, caller, params.id ?? '', query),
  }));
  api.mount(merchantApi.retrievePaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: presentPaymentMethod(await retrievePaymentMethod(deps, caller, params.id ?? ''), caller),
  }));
  api.mount(merchantApi.deletePaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: await removePaymentMethod(deps, caller, params.id ?? '', null),
  }));
  api.mount(merchantApi.deleteCustomerPaymentMethod, async ({ caller, params }) => ({
    status: 200,
    body: await removePaymentMethod(deps, caller, params.id ?? '', params.customer_id ?? ''),
  }));
  api.mount(merchantApi.createClientToken, async ({ caller, body }) => ({
    status: 201,
    body: await createClientToken(deps, caller, body),
  }));
}
