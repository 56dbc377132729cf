import { invalidParam, merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import {
  type CustomerDependencies,
  createCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from './customers.ts';
import { presentCustomer } from './present.ts';

export function customerRoutes(api: MerchantApi<AccountContext, Claim>, deps: CustomerDependencies): void {
  api.mount(merchantApi.createCustomer, async ({ caller, body, claim }) => {
    const text = await createCustomer(deps, caller, body, claim);
    return text === null ? { keyTaken: true } : { status: 201, text };
  });
  api.mount(merchantApi.retrieveCustomer, async ({ caller, params }) => ({
    status: 200,
    body: presentCustomer(await retrieveCustomer(deps, caller, params.id ?? ''), caller),
  }));
  api.mount(
    merchantApi.updateCustomer,
    async ({ caller, params, body }) => {
      if (body.email === null) throw invalidParam('email', 'email must not be null.');
      return {
        status: 200,
        body: presentCustomer(await updateCustomer(deps, caller, params.id ?? '', body), caller),
      };
    },
    async (caller, params) => void (await retrieveCustomer(deps, caller, params.id ?? '')),
  );
  api.mount(merchantApi.listCustomers, async ({ caller, query }) => ({
    status: 200,
    body: await listCustomers(deps, caller, query),
  }));
}
