import { type ProcessorCapabilities, statementLength } from '../port/capabilities.ts';

const hourMs = 60 * 60 * 1000;

/** Length of `PP*`, the prefix of a card payment's descriptor. */
const cardPrefix = 3;
/** Length of `PAYPAL*`, the prefix of a wallet payment's descriptor (Orders v2, `soft_descriptor`). */
const walletPrefix = 7;
/** The card scheme with the card prefix on its statements. It could not be established which scheme that really is. */
const prefixedBrand = 'amex';

/** Capabilities of PayPal REST: cards, card fields and wallets. */
export const capabilities: ProcessorCapabilities = {
  // Through `GET /v2/checkout/orders/{id}` and a repeated `PayPal-Request-Id` (Orders v2).
  canLookUp: true,
  cancelsByReference: false,
  // The upstream replays responses about orders for six hours and about refunds for 45 days (REST docs, "Idempotency").
  chargeKeyMs: 5 * hourMs,
  refundKeyMs: 44 * 24 * hourMs,
  browserMethods: ['card_fields', 'wallet'],
  // Other brands depend on the merchant's country and currency ("Advanced Card Payments").
  fieldBrands: ['visa', 'mastercard', 'amex', 'discover'],
  // PayPal JavaScript SDK v6, "Set up" and "Best practices".
  hostedFields: {
    script: 'https://www.paypal.com/web-sdk/v6/core',
    global: 'paypal',
    origins: ['https://*.paypal.com', 'https://*.paypalobjects.com'],
    upstreamSuffix: '.paypal.com',
  },
  walletName: 'PayPal',
  threeDSecureDefault: 'off',
  // `intent: AUTHORIZE` (Orders v2).
  holds: true,
  // `accept-claim` of an inquiry refunds the buyer (Customer Disputes v1).
  inquiryRefunds: true,
  // "Supported file formats" (Customer Disputes v1, `provide-evidence`).
  evidence: { types: ['application/pdf', 'image/jpeg', 'image/png'], fewFiles: false },
  // `PUT /v1/risk/transaction-contexts/{merchant}/{tracking}` (Set Transaction Context).
  transactionContext: true,
  descriptorLimit(method, brand) {
    if (method === 'wallet') return statementLength - walletPrefix;
    // A brand that is still unknown (card fields) may be the prefixed one.
    return brand === null || brand === prefixedBrand ? statementLength - cardPrefix : statementLength;
  },
};
