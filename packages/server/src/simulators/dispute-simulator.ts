import { type SandboxDependencies, simulators } from '@till/sandbox';
import type { DisputeSimulator } from '../disputes/api/open-dispute.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';

/** Simulates the buyer, the issuer and the card scheme behind the simulated processors. */
export function disputeSimulator(
  deps: Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>,
): DisputeSimulator {
  return {
    async open({ accountId, livemode, processor }, payment, { state, amount, reason }) {
      const opened = await simulators[processor]?.openDispute(deps, {
        merchantAccount: merchantAccountOf(accountId, livemode),
        paymentReference: payment.id,
        state,
        amount: amount ?? undefined,
        reason: reason ?? undefined,
      });
      return opened ?? null;
    },
    async move({ accountId, livemode, processor }, upstreamId, to) {
      const merchantAccount = merchantAccountOf(accountId, livemode);
      const moved = await simulators[processor]?.moveDispute(deps, { merchantAccount, upstreamId, to });
      return moved === true;
    },
  };
}
