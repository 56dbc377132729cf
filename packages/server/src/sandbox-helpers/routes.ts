import { ApiError, type ApprovalOutcome, invalidParam, merchantApi } from '@till/contract';
import { type AccountParts, moveClock } from '../accounts/accounts.ts';
import type { AccountContext } from '../accounts/context.ts';
import { buyerReturned, type CheckoutParts, openVisit } from '../checkout/flow.ts';
import type { MerchantApi } from '../http/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { isoSeconds } from '../lib/clock.ts';
import type { PaymentRow } from '../payments/present.ts';
import { retrievePayment } from '../payments/retrieve-payment.ts';
import { writePayment } from '../payments/settle-payment.ts';

export interface TestHelperParts {
  readonly accounts: AccountParts;
  readonly checkout: CheckoutParts;
  /**
   * Does at the simulated processor what the buyer would do there.
   * @returns the address to which the buyer's browser would have gone, or null where nothing waits for a buyer
   */
  readonly resolveApproval: (payment: PaymentRow, outcome: ApprovalOutcome) => Promise<string | null>;
  readonly onClockMoved: (accountId: string) => Promise<void>;
}

/** Sandbox keys only: to a live key these addresses do not exist. */
function requireSandbox(caller: AccountContext): void {
  if (caller.livemode) throw new ApiError('not_found', 'Test helpers exist for sandbox keys only.');
}

/** Moves time and plays the buyer, so that every outcome can be tried by the API alone (decisions, "Sandbox"). */
export function testHelperRoutes(api: MerchantApi<AccountContext, Claim>, parts: TestHelperParts): void {
  api.mount(
    merchantApi.advanceClock,
    async ({ caller, body }) => {
      const now = await moveClock(parts.accounts, caller.accountId, body.seconds);
      await parts.onClockMoved(caller.accountId);
      return { status: 200, body: { object: 'test_clock', now: isoSeconds(now) } };
    },
    requireSandbox,
  );
  api.mount(
    merchantApi.approvePayment,
    async ({ caller, params, body }) => {
      const { payments } = parts.checkout;
      const payment = await retrievePayment(payments, caller, params.id ?? '');
      if (payment.status !== 'requires_action') {
        throw invalidParam(
          'status',
          `Only a payment that requires action waits for a buyer; this one is ${payment.status}.`,
        );
      }
      const url = await parts.resolveApproval(payment, body.outcome ?? 'approved');
      if (url === null) throw invalidParam('status', 'Nothing waits for a buyer at the processor.');
      await visit(parts, url);
      return {
        status: 200,
        text: writePayment(payments, caller, await retrievePayment(payments, caller, payment.id)),
      };
    },
    requireSandbox,
  );
}

/** Comes back to us as the buyer's browser would; an address that is not our return page is left alone. */
export async function visit(parts: Pick<TestHelperParts, 'checkout'>, url: string): Promise<void> {
  const address = new URL(url);
  const [, token] = /\/checkout\/return\/([^/]+)$/.exec(address.pathname) ?? [];
  const visited = token === undefined ? undefined : await openVisit(parts.checkout, token);
  if (visited === undefined) return;
  await buyerReturned(parts.checkout, visited, Object.fromEntries(address.searchParams));
}
