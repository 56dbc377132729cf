import type { Processor } from '../upstream/processor.ts';
import { createProcessorB } from './adapter.ts';
import { capabilities } from './capabilities.ts';
import { checkConnectionB } from './check.ts';
import { credentialFields } from './credential-fields.ts';
import { settlementReport } from './settlement/report.ts';

/** Cards, card fields and wallets through PayPal REST. */
export const processorB: Processor = {
  words: {
    name: 'Processor B',
    does: 'Wallet, card fields, cards and manual capture.',
    credentials: ['Client id', 'Client secret', 'Merchant id', 'Webhook id of notifications'],
  },
  capabilities,
  credentialFields,
  merchantAccountKey: 'merchantId',
  environmentHosts: {
    test: /^https:\/\/api-m\.sandbox\.paypal\.com(:\d+)?(\/|$)/,
    live: /^https:\/\/api-m\.paypal\.com(:\d+)?(\/|$)/,
  },
  // PayPal REST docs, "API requests".
  defaultHosts(livemode) {
    const host = livemode ? 'https://api-m.paypal.com' : 'https://api-m.sandbox.paypal.com';
    return { baseUrl: host, disputesUrl: host };
  },
  createAdapter: createProcessorB,
  checkConnection: checkConnectionB,
  settlementReport,
  simulator: {
    hosts: (origin) => ({ baseUrl: origin, disputesUrl: origin }),
    credentials: (merchantAccount, { webhookId }, { baseUrl }) => ({
      clientId: merchantAccount,
      clientSecret: 'sandbox',
      merchantId: merchantAccount,
      webhookId,
      certificateUrl: `${baseUrl}/v1/notifications/certs/CERT-SANDBOX`,
    }),
  },
};
