export type { BuyerOutcome } from './buyer/virtual-buyer.ts';
export type { Trigger } from './directives/trigger-rows.ts';
export { type Ledger, type LedgerCharge, type LedgerRefund, readLedger, readReceived } from './ledger.ts';
export type {
  Batch,
  NotificationRoute,
  NotificationSecrets,
  SandboxDatabase,
  SandboxDependencies,
  SimulatedProcessor,
} from './lib/dependencies.ts';
export { ConnectionDropped, type WireRequest, type WireResponse } from './lib/wire.ts';
export { createNotificationSender, type NotificationSender } from './outbox/outbox.ts';
export { createSandboxPages, type SandboxPages } from './pages.ts';
export { moveDisputeA, openDisputeA } from './processor-a/disputes/disputes.ts';
export { signNotificationA } from './processor-a/notifications/sign-notification.ts';
export { checkoutVersion, createProcessorA } from './processor-a/simulator.ts';
export { moveDisputeB, openDisputeB } from './processor-b/disputes/disputes.ts';
export { createProcessorB } from './processor-b/simulator.ts';
export { createNotificationSignerB } from './processor-b/webhooks.ts';
export { removeOld, retentionMs } from './retention.ts';
export { sandboxSchema } from './schema.ts';
export { type SettlementReport, settle } from './settle.ts';
export type { Simulator } from './simulator/simulator.ts';
export { resolveApproval, simulators, triggers } from './simulators.ts';
