import type { RandomBytes } from '../lib/ids.ts';
import type { TestHelperDependencies } from '../sandbox-helpers/helpers.ts';
import { disputeSimulator } from '../simulators/dispute-simulator.ts';
import type { ServerDependencies } from './dependencies.ts';
import type { Features } from './features.ts';

/** What plays buyers, banks and issuers in the sandbox, for the merchant API and the dashboard. */
export function composeTestHelpers(
  { db, clock }: Pick<ServerDependencies, 'db' | 'clock'>,
  { features, randomBytes }: { readonly features: Features; readonly randomBytes: RandomBytes },
) {
  const { sandbox, settleAccount } = features;
  const helpers: TestHelperDependencies = {
    checkout: features.checkout,
    refunds: features.refunds,
    accounts: { db, clock, randomBytes },
    resolveApproval: sandbox.resolveApproval,
    onClockMoved: features.catchUp,
    settleRefund: async (caller, refundId, outcome) => {
      const settled = await sandbox.refunds.settle(caller, refundId, outcome);
      await settleAccount(caller.accountId, caller.livemode);
      return settled;
    },
  };
  const disputes = {
    disputes: features.disputes,
    payments: features.payments.store,
    simulator: disputeSimulator(sandbox.deps),
    deliver: (accountId: string) => settleAccount(accountId, false),
  };
  return { helpers, disputes };
}
