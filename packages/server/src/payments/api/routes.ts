import { merchantApi, type PaymentCapture, type PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { Answer } from '../../http/api/answer-once.ts';
import type { MerchantApi } from '../../http/api/merchant-api.ts';
import type { Claim } from '../../idempotency/claims.ts';
import { listAsText, placeOfPage } from '../../lib/list.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { capturePayment } from '../operations/capture.ts';
import { confirmPayment } from '../operations/confirm.ts';
import { createPayment } from '../operations/create-payment.ts';
import { retrieveShownPayment } from '../operations/expire.ts';
import { voidPayment } from '../operations/void.ts';
import { listShownPayments, requirePayment } from '../reads.ts';
import { checkActivation, unusedFields } from '../request/rules.ts';
import { writePayment } from '../settle-payment.ts';

/** One page of the merchant's payments as text, most recent first. */
async function listPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  query: PaymentListQuery,
): Promise<string> {
  const { rows, total } = await listShownPayments(deps.db, context, query);
  return listAsText(
    rows.map((row) => writePayment(deps, context, row)),
    total,
    placeOfPage(query),
  );
}

/** Returns the answer to a capture that waits for an approval; null: the capture may proceed. */
export type CaptureApproval = (
  caller: AccountContext,
  request: PaymentCapture,
  asked: { readonly paymentId: string; readonly claim: Claim | null; readonly resumes: string | null },
) => Promise<Answer | null>;

export function paymentRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: PaymentDependencies,
  waits: CaptureApproval = async () => null,
): void {
  api.mount(
    merchantApi.createPayment,
    async ({ caller, body, client: { userAgent, accept }, claim, resumes }) => {
      // The caller with a secret key is a server: its address is not the buyer's.
      const client = { ip: null, userAgent, accept };
      const answer = await createPayment(deps, caller, { request: body, client, claim, resumes });
      return { ignored: unusedFields(body, caller), ...answer };
    },
    checkActivation,
  );
  api.mount(
    merchantApi.confirmPayment,
    ({ caller, params, claim, resumes }) => confirmPayment(deps, caller, params.id ?? '', { claim, resumes }),
    checkActivation,
  );
  api.mount(
    merchantApi.capturePayment,
    async ({ caller, params, body, claim, resumes }) => {
      const asked = { paymentId: params.id ?? '', claim, resumes };
      return (
        (await waits(caller, body, asked)) ??
        capturePayment(deps, caller, asked.paymentId, { claim, resumes, amount: body.amount })
      );
    },
    checkActivation,
    (caller, params) => requirePayment(deps.store, caller, params.id ?? ''),
  );
  api.mount(merchantApi.voidPayment, ({ caller, params, claim, resumes }) =>
    voidPayment(deps, caller, params.id ?? '', { claim, resumes }),
  );
  api.mount(merchantApi.retrievePayment, async ({ caller, params }) => ({
    status: 200,
    text: writePayment(deps, caller, await retrieveShownPayment(deps, caller, params.id ?? '')),
  }));
  api.mount(merchantApi.listPayments, async ({ caller, query }) => ({
    status: 200,
    text: await listPayments(deps, caller, query),
  }));
}
