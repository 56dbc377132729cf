import {
  type ProcessorCapabilities,
  statementLength,
} from '../../../packages/server/src/processors/port/capabilities.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Cards that are charged at once. */
export const capabilities: ProcessorCapabilities = {
  // `GET /v1/charges/{id}`, and requests with a known key but without a card (the processor's documentation,
  // "Charges", "Keys").
  canLookUp: true,
  cancelsByReference: true,
  // "Keys are kept for two days" ("Keys").
  chargeKeyMs: dayMs,
  refundKeyMs: dayMs,
  browserMethods: [],
  threeDSecureDefault: 'enabled',
  holds: false,
  inquiryRefunds: false,
  evidence: { types: [], fewFiles: false },
  transactionContext: false,
  descriptorLimit: () => statementLength,
};
