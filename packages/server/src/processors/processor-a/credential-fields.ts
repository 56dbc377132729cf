import type { CredentialField } from '../upstream/processor.ts';

const text = /^[\x21-\x7e]{1,500}$/;

/** Values that the Customer Area shows or asks for (Adyen docs, "API credentials", "Live endpoints", "Webhooks"). */
export const credentialFields: readonly CredentialField[] = [
  {
    name: 'api_key',
    key: 'apiKey',
    meaning: 'API key of the web service user',
    required: 'always',
    secret: true,
    // The adapter takes the key `sandbox` to mean the simulator.
    pattern: /^(?!sandbox$)[\x21-\x7e]{1,500}$/,
  },
  {
    name: 'merchant_account',
    key: 'merchantAccount',
    meaning: 'name of the merchant account',
    required: 'always',
    secret: false,
    pattern: /^[A-Za-z0-9_.-]{1,80}$/,
  },
  {
    name: 'live_prefix',
    key: 'livePrefix',
    meaning: 'prefix of the live addresses of your company account',
    required: 'live',
    secret: false,
    pattern: /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/,
  },
  {
    name: 'hmac_key',
    key: 'hmacKey',
    meaning: 'HMAC key of the notifications: 32 bytes, 64 hexadecimal digits',
    required: 'always',
    secret: true,
    // With a key of any other length no notification could be verified (`hmacKeyOf`).
    pattern: /^[0-9a-fA-F]{64}$/,
  },
  {
    name: 'notification_user',
    key: 'notificationUser',
    meaning: 'user name of the notifications',
    required: 'always',
    secret: false,
    pattern: text,
  },
  {
    name: 'notification_password',
    key: 'notificationPassword',
    meaning: 'password of the notifications',
    required: 'always',
    secret: true,
    pattern: text,
  },
];
