import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import {
  createPaymentLink,
  type LinkDependencies,
  listLinks,
  retrieveLink,
  updatePaymentLink,
  writeLink,
} from './payment-links.ts';

export function paymentLinkRoutes(api: MerchantApi<AccountContext, Claim>, deps: LinkDependencies): void {
  api.mount(merchantApi.createPaymentLink, async ({ caller, body, claim }) => {
    const made = await createPaymentLink(deps, caller, body, claim);
    return made === null ? { keyTaken: true } : { status: 201, text: made.text };
  });
  api.mount(merchantApi.retrievePaymentLink, async ({ caller, params }) => ({
    status: 200,
    text: writeLink(deps, caller, await retrieveLink(deps, caller, params.id ?? '')),
  }));
  api.mount(
    merchantApi.updatePaymentLink,
    async ({ caller, params, body }) => ({
      status: 200,
      text: writeLink(deps, caller, await updatePaymentLink(deps, caller, params.id ?? '', body)),
    }),
    async (caller, params) => void (await retrieveLink(deps, caller, params.id ?? '')),
  );
  api.mount(merchantApi.listPaymentLinks, async ({ caller, query }) => ({
    status: 200,
    text: await listLinks(deps, caller, query),
  }));
}
