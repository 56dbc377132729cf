export { type Ledger, type LedgerCharge, type LedgerRefund, readLedger, readReceived } from './ledger.ts';
export { createNotificationSender, type NotificationSender } from './outbox.ts';
export { createSandboxPages, type SandboxPages } from './pages/pages.ts';
export type {
  Batch,
  NotificationRoute,
  NotificationSecrets,
  SandboxDatabase,
  SandboxParts,
  SimulatedProcessor,
} from './parts.ts';
export { moveDisputeA, openDisputeA } from './processor-a/disputes.ts';
export { signNotificationA } from './processor-a/sign-notification.ts';
export { checkoutVersion, createProcessorA } from './processor-a/simulator.ts';
export { moveDisputeB, openDisputeB } from './processor-b/disputes.ts';
export { createProcessorB } from './processor-b/simulator.ts';
export { createNotificationSignerB } from './processor-b/webhooks.ts';
export { resolveApproval } from './resolve-approval.ts';
export { sandboxSchema } from './schema.ts';
export type { Simulator } from './simulator.ts';
export { simulators } from './simulators.ts';
export { type Trigger, triggers } from './triggers.ts';
export type { BuyerOutcome } from './virtual-buyer.ts';
export { ConnectionDropped, type WireRequest, type WireResponse } from './wire.ts';
