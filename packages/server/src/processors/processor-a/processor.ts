import type { Processor } from '../upstream/processor.ts';
import { createProcessorA } from './adapter.ts';
import { capabilities } from './capabilities.ts';
import { checkConnectionA } from './check.ts';
import { credentialFields } from './credential-fields.ts';
import { settlementReport } from './settlement/report.ts';
import { checkoutVersion, disputesVersion } from './upstream-versions.ts';

const disputesPath = `/ca/services/DisputeService/${disputesVersion}`;

/** Processor A: cards through the Adyen Checkout API. */
export const processorA: Processor = {
  words: {
    name: 'Processor A',
    does: 'Card acquiring with 3-D Secure 2.',
    credentials: [
      'API key',
      'Merchant account',
      'HMAC key that signs notifications',
      'User name and password of notifications',
    ],
  },
  capabilities,
  credentialFields,
  merchantAccountKey: 'merchantAccount',
  environmentHosts: {
    test: /^https:\/\/[^/]*-test\.adyen\.com(:\d+)?(\/|$)/,
    live: /^https:\/\/[^/]*\.adyenpayments\.com(:\d+)?(\/|$)/,
  },
  // Adyen docs, "Live endpoints".
  defaultHosts: (livemode, { livePrefix }) =>
    livemode
      ? {
          baseUrl: `https://${livePrefix}-checkout-live.adyenpayments.com/checkout/${checkoutVersion}`,
          disputesUrl: `https://ca-live.adyen.com${disputesPath}`,
        }
      : {
          baseUrl: `https://checkout-test.adyen.com/${checkoutVersion}`,
          disputesUrl: `https://ca-test.adyen.com${disputesPath}`,
        },
  createAdapter: createProcessorA,
  checkConnection: checkConnectionA,
  settlementReport,
  simulator: {
    hosts: (origin) => ({
      baseUrl: `${origin}/${checkoutVersion}`,
      disputesUrl: `${origin}${disputesPath}`,
    }),
    credentials: (merchantAccount, { hmacKey, user, password }) => ({
      apiKey: 'sandbox',
      merchantAccount,
      hmacKey,
      notificationUser: user,
      notificationPassword: password,
    }),
  },
};
