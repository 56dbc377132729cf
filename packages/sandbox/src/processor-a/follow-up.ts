import type { SandboxDependencies } from '../lib/dependencies.ts';
import { createNotificationSender } from '../outbox/outbox.ts';
import { openDirectedDispute } from './disputes/disputes.ts';
import { signNotificationA } from './notifications/sign-notification.ts';
import type { FollowUp } from './payments/payments.ts';

/**
 * Carries out the directives that apply after a payment's effects are stored and before its response is sent.
 */
export function createFollowUp(deps: SandboxDependencies): FollowUp {
  const sender = createNotificationSender(deps, { processor_a: signNotificationA(deps) });
  return async (row, directives) => {
    const { merchant_account, reference, charge_status, at } = row;
    if (directives.dispute !== undefined && charge_status === 'captured' && reference !== undefined) {
      await openDirectedDispute(deps, merchant_account, reference, directives.dispute, new Date(at));
    }
    if (directives.delivery === 'first') await sender.sendDue(merchant_account);
  };
}
