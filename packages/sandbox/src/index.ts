export { type Ledger, type LedgerCharge, type LedgerRefund, readLedger, readReceived } from './ledger.ts';
export type { Batch, SandboxDatabase, SandboxParts } from './parts.ts';
export { createProcessorA, type ProcessorA } from './processor-a/simulator.ts';
export { sandboxSchema } from './schema.ts';
export { type Trigger, triggers } from './triggers.ts';
export { ConnectionDropped, type WireRequest, type WireResponse } from './wire.ts';
