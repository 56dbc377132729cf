import { type ProcessorCapabilities, statementLength } from '../port/capabilities.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Capabilities of card payments through the Adyen Checkout API. */
export const capabilities: ProcessorCapabilities = {
  // No request returns the state of a payment, and a request repeated under its key needs the card (docs, "API idempotency").
  canLookUp: false,
  // `POST /cancels` takes `paymentReference` (docs, "Cancel", "Cancel without a PSP reference").
  cancelsByReference: true,
  // "A minimum period of 7 days" (docs, "API idempotency").
  chargeKeyMs: 6 * dayMs,
  refundKeyMs: 6 * dayMs,
  browserMethods: [],
  threeDSecureDefault: 'enabled',
  holds: false,
  // A request for information moves no money (docs, "Dispute flow").
  inquiryRefunds: false,
  // PDF and JPEG, one file for each document type of a defence reason (docs, "Defense requirements").
  evidence: { types: ['application/pdf', 'image/jpeg'], fewFiles: true },
  transactionContext: false,
  // `shopperStatement` is shown as it is sent (docs, `POST /payments`).
  descriptorLimit: () => statementLength,
};
