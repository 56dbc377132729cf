import { Lines } from '../lib/waiting/lines.ts';
import type { TestHelperDependencies } from './helpers.ts';

/** Assembles the helpers that play buyers and banks in the sandbox, for the merchant API and the dashboard. */
export const createTestHelpers = ({
  simulateRefund,
  settleAccount,
  ...deps
}: Omit<TestHelperDependencies, 'settleRefund' | 'clockMoves'> & {
  /** Makes the simulated processor report how a pending refund ended. */
  readonly simulateRefund: TestHelperDependencies['settleRefund'];
  /** Sends and applies every due notification of the simulated processor for an account. */
  readonly settleAccount: (accountId: string, livemode: boolean) => Promise<void>;
}): TestHelperDependencies => ({
  ...deps,
  clockMoves: new Lines(),
  settleRefund: async (caller, refundId, outcome) => {
    const settled = await simulateRefund(caller, refundId, outcome);
    await settleAccount(caller.accountId, caller.livemode);
    return settled;
  },
});
