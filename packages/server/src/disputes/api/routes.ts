import { ApiError, type DisputeListQuery, merchantApi } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { MerchantApi } from '../../http/api/merchant-api.ts';
import type { Claim } from '../../idempotency/claims.ts';
import { listAsText, placeOfPage } from '../../lib/list.ts';
import { requirePayment } from '../../payments/reads.ts';
import { writeDispute } from '../change-dispute.ts';
import { retrieveDispute } from '../deadlines/retrieve-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { answerDispute } from '../operations/answer-dispute.ts';
import { presentDispute } from '../present.ts';
import { listDisputeRows } from '../reads.ts';
import { readSubmission } from '../submission.ts';
import { openTestDispute, type TestDisputeDependencies } from './open-dispute.ts';

/** One page of the merchant's disputes as JSON text, newest first. */
async function listDisputes(
  deps: DisputeDependencies,
  context: AccountContext,
  query: DisputeListQuery,
): Promise<string> {
  const { rows, total } = await listDisputeRows(deps.db, context, query);
  return listAsText(
    rows.map((row) => writeDispute(deps, context, row)),
    total,
    placeOfPage(query),
  );
}

/** The disputes API. Mount it only if it is turned on (decisions, "Disputes"). */
export function disputeRoutes(api: MerchantApi<AccountContext, Claim>, deps: DisputeDependencies): void {
  /** Step 8 of the checks: the dispute in the path exists. It precedes all checks of the body. */
  const exists = async (caller: AccountContext, params: Readonly<Record<string, string>>) =>
    void (await retrieveDispute(deps, caller, params.id ?? ''));

  api.mount(merchantApi.listDisputes, async ({ caller, query }) => ({
    status: 200,
    text: await listDisputes(deps, caller, query),
  }));
  api.mount(merchantApi.retrieveDispute, async ({ caller, params }) => ({
    status: 200,
    body: presentDispute(await retrieveDispute(deps, caller, params.id ?? ''), caller),
  }));
  api.mount(
    merchantApi.acceptDispute,
    ({ caller, params, claim, resumes }) =>
      answerDispute(deps, caller, params.id ?? '', { kind: 'accept' }, { claim, resumes }),
    exists,
  );
  api.mount(
    merchantApi.defendDispute,
    ({ caller, params, body, claim, resumes }) => {
      const move = { kind: 'defend', submission: readSubmission(body) } as const;
      return answerDispute(deps, caller, params.id ?? '', move, { claim, resumes });
    },
    exists,
  );
}

/** The test helper. It exists even if the disputes API is turned off. */
export function testDisputeRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: TestDisputeDependencies,
): void {
  api.mount(
    merchantApi.openTestDispute,
    async ({ caller, params, body }) => ({
      status: 201,
      body: presentDispute(await openTestDispute(deps, caller, params.id ?? '', body), caller),
    }),
    (caller) => {
      if (caller.livemode) throw new ApiError('not_found', 'Test helpers exist for sandbox keys only.');
    },
    (caller, params) => requirePayment(deps.payments, caller, params.id ?? ''),
  );
}
