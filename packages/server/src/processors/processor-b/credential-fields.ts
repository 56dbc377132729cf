import type { CredentialField } from '../upstream/processor.ts';

const text = /^[\x21-\x7e]{1,500}$/;

/** Values that the developer dashboard shows for an app and its webhook (PayPal REST docs, "Get started"). */
export const credentialFields: readonly CredentialField[] = [
  {
    name: 'client_id',
    key: 'clientId',
    meaning: 'client id of the app',
    required: 'always',
    secret: false,
    pattern: text,
  },
  {
    name: 'client_secret',
    key: 'clientSecret',
    meaning: 'secret of the app',
    required: 'always',
    secret: true,
    pattern: text,
  },
  {
    name: 'merchant_id',
    key: 'merchantId',
    meaning: 'id of the business account',
    required: 'always',
    secret: false,
    pattern: /^[A-Z0-9]{1,30}$/,
  },
  {
    name: 'webhook_id',
    key: 'webhookId',
    meaning: 'id of the webhook that leads here',
    required: 'always',
    secret: false,
    pattern: /^[A-Z0-9-]{1,50}$/,
  },
];
