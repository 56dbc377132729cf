import type { Provider } from '@till/contract';
import { parseUrl } from '../lib/url.ts';
import { checkoutVersion, disputesVersion } from '../processors/port/upstream-versions.ts';
import type { ProcessorConnection } from '../processors/port.ts';

/** What is wrong with what the operator gave; `field` as the operator calls it. */
export class CredentialError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

export interface CredentialField {
  /** As the operator writes it. */
  readonly name: string;
  /** As the adapter reads it (processors/port.ts, `ProcessorConnection`). */
  readonly key: string;
  readonly meaning: string;
  readonly required: 'always' | 'live' | 'never';
  readonly secret: boolean;
  readonly pattern: RegExp;
}

const text = /^[\x21-\x7e]{1,500}$/;

/** Everything that the upstream's own dashboard shows or asks for, by processor. */
export const credentialFields: Readonly<Record<Provider, readonly CredentialField[]>> = {
  processor_a: [
    {
      name: 'api_key',
      key: 'apiKey',
      meaning: 'API key of the web service user',
      required: 'always',
      secret: true,
      // That word means a simulator to the adapter.
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
      meaning: 'HMAC key of the notifications, hexadecimal',
      required: 'always',
      secret: true,
      pattern: /^([0-9a-fA-F]{2}){16,64}$/,
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
  ],
  processor_b: [
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
  ],
};

export type Credentials = ProcessorConnection['credentials'];

/**
 * Reads what the operator gave, all of it at once.
 * @param given names and values, as parsed from JSON
 * @param known what is in force and stays where nothing else is given
 * @throws CredentialError naming the first field that is wrong, and never its value
 */
export function readCredentials(
  processor: Provider,
  livemode: boolean,
  given: unknown,
  known: Credentials = {},
): Credentials {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CredentialError('input', 'one JSON object was expected');
  }
  const fields = credentialFields[processor];
  const values = new Map<string, unknown>(Object.entries(given));
  for (const name of values.keys()) {
    if (!fields.some((field) => field.name === name)) {
      throw new CredentialError(
        name.slice(0, 50),
        `is not known; ${fields.map((field) => field.name).join(', ')} are`,
      );
    }
  }
  const read: Record<string, string> = {};
  for (const { name, key, meaning, required, pattern } of fields) {
    const value = values.get(name) ?? known[key];
    if (value === undefined) {
      if (required === 'always' || (required === 'live' && livemode)) {
        throw new CredentialError(name, `is missing: ${meaning}`);
      }
      continue;
    }
    if (typeof value !== 'string' || !pattern.test(value)) {
      throw new CredentialError(name, `does not look like it: ${meaning}`);
    }
    read[key] = value;
  }
  return read;
}

export interface Hosts {
  readonly baseUrl: string;
  readonly disputesUrl: string;
}

/** The upstream's own addresses of a mode (Adyen docs, "Live endpoints"; PayPal REST docs, "API requests"). */
export function usualHosts(processor: Provider, livemode: boolean, { livePrefix }: Credentials): Hosts {
  if (processor === 'processor_a') {
    return livemode
      ? {
          baseUrl: `https://${livePrefix}-checkout-live.adyenpayments.com/checkout/${checkoutVersion}`,
          disputesUrl: `https://ca-live.adyen.com/ca/services/DisputeService/${disputesVersion}`,
        }
      : {
          baseUrl: `https://checkout-test.adyen.com/${checkoutVersion}`,
          disputesUrl: `https://ca-test.adyen.com/ca/services/DisputeService/${disputesVersion}`,
        };
  }
  const host = livemode ? 'https://api-m.paypal.com' : 'https://api-m.sandbox.paypal.com';
  return { baseUrl: host, disputesUrl: host };
}

/**
 * An address in place of the usual one.
 * @returns it without a trailing slash
 * @throws CredentialError where credentials would travel unprotected, or it is no plain address
 */
export function readHost(field: string, value: string): string {
  const url = parseUrl(value);
  const isLocal = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const isProtected = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (url === undefined || !isProtected || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new CredentialError(
      field,
      'an https address without query was expected (http on this machine only)',
    );
  }
  return url.href.replace(/\/+$/, '');
}
