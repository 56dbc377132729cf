import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { isoSeconds } from '../lib/clock.ts';
import { retrievePayment } from '../payments/operations/expire.ts';
import { writePayment } from '../payments/settle-payment.ts';
import { writeRefund } from '../refunds/commit-refund.ts';
import { retrieveRefund } from '../refunds/refunds.ts';
import {
  advanceTestClock,
  approveTestPayment,
  requireSandbox,
  settleTestRefund,
  type TestHelperDependencies,
} from './helpers.ts';

/**
 * The test helpers, which move time and play the buyer, so that every outcome can be tried through the API alone
 * (decisions, "Sandbox").
 */
export function testHelperRoutes(
  api: MerchantApi<AccountContext, Claim>,
  deps: TestHelperDependencies,
): void {
  api.mount(
    merchantApi.advanceClock,
    async ({ caller, body }) => {
      const now = await advanceTestClock(deps, caller, body.seconds);
      return { status: 200, body: { object: 'test_clock', now: isoSeconds(now) } };
    },
    requireSandbox,
  );
  api.mount(
    merchantApi.approvePayment,
    async ({ caller, params, body }) => {
      const outcome = body.outcome ?? 'approved';
      const payment = await approveTestPayment(deps, caller, params.id ?? '', outcome);
      return { status: 200, text: writePayment(deps.checkout.payments, caller, payment) };
    },
    requireSandbox,
    (caller, params) => retrievePayment(deps.checkout.payments, caller, params.id ?? ''),
  );
  api.mount(
    merchantApi.settleRefund,
    async ({ caller, params, body }) => {
      const refund = await settleTestRefund(deps, caller, params.id ?? '', body.outcome);
      return { status: 200, text: writeRefund(deps.refunds, caller, refund) };
    },
    requireSandbox,
    (caller, params) => retrieveRefund(deps.refunds, caller, params.id ?? ''),
  );
}
