import { checkoutVersion as simulatedVersion } from '@till/sandbox';
import { describe, expect, it } from 'vitest';
import { checkoutVersion } from '../processors/processor-a/upstream-versions.ts';
import { processors } from '../processors/registry.ts';
import { CredentialError, readCredentials, readHost } from './fields.ts';

const ofA = {
  api_key: 'AQE-key',
  merchant_account: 'ShopCOM',
  hmac_key: 'ab'.repeat(32),
  notification_user: 'till',
  notification_password: 'p4ssword',
};
const ofB = {
  client_id: 'client',
  client_secret: 'secret',
  merchant_id: 'MERCHANT1',
  webhook_id: '1JE42910',
};

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof CredentialError) return error.message;
    throw error;
  }
  return 'none';
};

describe('credentials', () => {
  it('are read under the names that the adapters know', () => {
    expect(readCredentials('processor_a', false, ofA)).toEqual({
      apiKey: 'AQE-key',
      merchantAccount: 'ShopCOM',
      hmacKey: 'ab'.repeat(32),
      notificationUser: 'till',
      notificationPassword: 'p4ssword',
    });
    expect(readCredentials('processor_b', true, ofB)).toEqual({
      clientId: 'client',
      clientSecret: 'secret',
      merchantId: 'MERCHANT1',
      webhookId: '1JE42910',
    });
  });

  it.each([
    [null, 'input'],
    [[], 'input'],
    ['text', 'input'],
    [{ ...ofA, api_key: undefined }, 'api_key: is missing'],
    [{ ...ofA, api_key: 'sandbox' }, 'api_key: does not look like it'],
    [{ ...ofA, hmac_key: 'not hex' }, 'hmac_key: does not look like it'],
    [{ ...ofA, hmac_key: 7 }, 'hmac_key: does not look like it'],
    [{ ...ofA, apiKey: 'x' }, 'apiKey: is not known'],
  ])('refuse %j and never repeat a value', (given, words) => {
    const message = faultOf(() => readCredentials('processor_a', false, given));
    expect(message).toContain(words);
    expect(message).not.toContain('not hex');
  });

  it.each([16, 31, 33, 64])(
    'refuse an HMAC key of %i bytes, with which no notification could be verified',
    (bytes) => {
      const given = { ...ofA, hmac_key: 'ab'.repeat(bytes) };
      expect(faultOf(() => readCredentials('processor_a', false, given))).toBe(
        'hmac_key: does not look like it: HMAC key of the notifications: 32 bytes, 64 hexadecimal digits',
      );
    },
  );

  it('want the prefix of live addresses in live mode only', () => {
    expect(faultOf(() => readCredentials('processor_a', true, ofA))).toContain('live_prefix: is missing');
    const own = readCredentials('processor_a', true, { ...ofA, live_prefix: '1797a841fbb37ca7-AdyenDemo' });
    expect(processors.processor_a.defaultHosts(true, own).baseUrl).toBe(
      'https://1797a841fbb37ca7-AdyenDemo-checkout-live.adyenpayments.com/checkout/v71',
    );
    expect(
      faultOf(() => readCredentials('processor_a', true, { ...ofA, live_prefix: 'evil.example/' })),
    ).toContain('live_prefix');
  });

  it('replace what is given and keep the rest', () => {
    const known = readCredentials('processor_b', true, ofB);
    expect(readCredentials('processor_b', true, { client_secret: 'new' }, known)).toEqual({
      ...known,
      clientSecret: 'new',
    });
  });

  it('have a name of their own each', () => {
    for (const { credentialFields: fields } of Object.values(processors)) {
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      expect(new Set(fields.map(({ key }) => key)).size).toBe(fields.length);
    }
  });
});

describe('addresses', () => {
  it('of test mode are those of the test systems', () => {
    expect(processors.processor_a.defaultHosts(false, {}).baseUrl).toBe(
      'https://checkout-test.adyen.com/v71',
    );
    expect(processors.processor_b.defaultHosts(false, {}).baseUrl).toBe('https://api-m.sandbox.paypal.com');
    expect(processors.processor_b.defaultHosts(true, {}).baseUrl).toBe('https://api-m.paypal.com');
  });

  it('name the version of the API that the adapter and its simulator speak', () => {
    const live = processors.processor_a.defaultHosts(true, { livePrefix: 'abc-Shop' });
    expect([live.baseUrl, processors.processor_a.defaultHosts(false, {}).baseUrl]).toEqual([
      `https://abc-Shop-checkout-live.adyenpayments.com/checkout/${checkoutVersion}`,
      `https://checkout-test.adyen.com/${checkoutVersion}`,
    ]);
    expect(simulatedVersion).toBe(checkoutVersion);
  });

  it('may be others where credentials travel protected', () => {
    expect(readHost('--base-url', 'https://proxy.example/adyen/')).toBe('https://proxy.example/adyen');
    expect(readHost('--base-url', 'http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    for (const wrong of [
      'http://proxy.example',
      'ftp://proxy.example',
      'https://u:p@proxy.example',
      'https://proxy.example?x=1',
      'proxy',
    ]) {
      expect(
        faultOf(() => readHost('--base-url', wrong)),
        wrong,
      ).toContain('--base-url');
    }
  });
});
