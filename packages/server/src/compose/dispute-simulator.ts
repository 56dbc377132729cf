import { moveDisputeA, moveDisputeB, openDisputeA, openDisputeB, type SandboxParts } from '@till/sandbox';
import type { DisputeSimulator } from '../disputes/open-dispute.ts';
import { merchantAccountOf } from '../lib/merchant-account.ts';

/** The buyer, the issuer and the scheme behind the simulated processors. */
export function disputeSimulator(
  parts: Pick<SandboxParts, 'database' | 'now' | 'randomBytes'>,
): DisputeSimulator {
  return {
    open({ accountId, livemode, processor }, payment, { state, amount, reason }) {
      const open = processor === 'processor_a' ? openDisputeA : openDisputeB;
      return open(parts, {
        merchantAccount: merchantAccountOf(accountId, livemode),
        paymentReference: payment.id,
        state,
        amount: amount ?? undefined,
        reason: reason ?? undefined,
      });
    },
    move({ accountId, livemode, processor }, upstreamId, to) {
      const move = processor === 'processor_a' ? moveDisputeA : moveDisputeB;
      return move(parts, { merchantAccount: merchantAccountOf(accountId, livemode), upstreamId, to });
    },
  };
}
