import { type ProcessorCapabilities, statementLength } from '../port/capabilities.ts';

const hourMs = 60 * 60 * 1000;

/** `PP*`, before the descriptor of a card payment. */
const cardPrefix = 3;
/** `PAYPAL*`, before that of a wallet payment (Orders v2, `soft_descriptor`). */
const walletPrefix = 7;
/** The scheme on which the prefix of cards is put; which one it is could not be established. */
const prefixedBrand = 'amex';

/** Cards, card fields and wallets through PayPal REST. */
export const capabilities: ProcessorCapabilities = {
  // `GET /v2/checkout/orders/{id}`, and `PayPal-Request-Id` repeated (Orders v2).
  canLookUp: true,
  cancelsByReference: false,
  // Orders are answered again for six hours, refunds for 45 days (REST docs, "Idempotency").
  chargeKeyMs: 5 * hourMs,
  refundKeyMs: 44 * 24 * hourMs,
  browserMethods: ['card_fields', 'wallet'],
  // Beside these, brands depend on the merchant's country and currency ("Advanced Card Payments").
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
    // A brand that is not known yet (card fields) may turn out to be the prefixed one.
    return brand === null || brand === prefixedBrand ? statementLength - cardPrefix : statementLength;
  },
};
