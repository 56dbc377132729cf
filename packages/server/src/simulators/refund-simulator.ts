import type { Provider } from '@till/contract';
import { type SandboxDependencies, simulators } from '@till/sandbox';
import { merchantAccountOf } from '../lib/merchant-account.ts';

/** What the bank behind a simulated processor does with a refund; the notification then comes as from a live one. */
export interface RefundSimulator {
  /** @returns false where the processor has no refund of this name that waits for it */
  settle(
    tenant: { readonly accountId: string; readonly livemode: boolean; readonly processor: Provider },
    refundId: string,
    outcome: 'succeeded' | 'failed',
  ): Promise<boolean>;
}

export function refundSimulator(deps: Pick<SandboxDependencies, 'database' | 'now'>): RefundSimulator {
  return {
    async settle({ accountId, livemode, processor }, refundId, outcome) {
      const merchantAccount = merchantAccountOf(accountId, livemode);
      const settled = await simulators[processor]?.settleRefund(deps, merchantAccount, refundId, outcome);
      return settled === true;
    },
  };
}
