import { merchantApi, type PaymentLinkCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Answer } from '../http/api/answer-once.ts';
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
import type { LinkRow } from './row.ts';

/** Returns the answer to a request whose link waits for an approval; null: the link may be created now. */
export type LinkApproval = (
  caller: AccountContext,
  request: PaymentLinkCreate,
  asked: { readonly claim: Claim | null; readonly resumes: string | null },
) => Promise<Answer | null>;

/** Checks a change of a link before it is made. @throws ApiError to refuse it */
export type LinkMayBecome = (caller: AccountContext, before: LinkRow, after: LinkRow) => void;

export function paymentLinkRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: LinkDependencies,
  { waits, mayBecome }: { readonly waits: LinkApproval; readonly mayBecome: LinkMayBecome },
): void {
  api.mount(merchantApi.createPaymentLink, async ({ caller, body, claim, resumes }) => {
    const waiting = await waits(caller, body, { claim, resumes });
    if (waiting !== null) return waiting;
    const made = await createPaymentLink(deps, caller, body, { claim });
    return made === null ? { keyTaken: true } : { status: 201, text: made.text };
  });
  api.mount(merchantApi.retrievePaymentLink, async ({ caller, params }) => ({
    status: 200,
    text: writeLink(deps, caller, await retrieveLink(deps, caller, params.id ?? '')),
  }));
  api.mount(
    merchantApi.updatePaymentLink,
    async ({ caller, params, body }) => {
      const check = (before: LinkRow, after: LinkRow) => mayBecome(caller, before, after);
      const link = await updatePaymentLink(deps, caller, params.id ?? '', body, { check });
      return { status: 200, text: writeLink(deps, caller, link) };
    },
    async (caller, params) => void (await retrieveLink(deps, caller, params.id ?? '')),
  );
  api.mount(merchantApi.listPaymentLinks, async ({ caller, query }) => ({
    status: 200,
    text: await listLinks(deps, caller, query),
  }));
}
