import { describe, expect, it } from 'vitest';
import type { Suspend } from '../lib/waiting/suspend.ts';
import { createConnect, identityOf } from './connect.ts';
import { simulatorIdentity } from './port/connected.ts';
import type { ProcessorPort } from './port/port.ts';

const accountId = 'acct_0mfy2k9a7c3e5g1h8j4m6p2q';
const portA = { name: 'processor_a' } as ProcessorPort;
const portB = { name: 'processor_b' } as ProcessorPort;

const connectWith = (liveSimulation: boolean) =>
  createConnect({
    simulated: {
      processor_a: {
        port: portA,
        baseUrl: 'https://a.test/v71',
        disputesUrl: 'https://a.test/ca/services/DisputeService/v30',
      },
      processor_b: { port: portB, baseUrl: 'https://b.test', disputesUrl: 'https://b.test' },
    },
    secrets: (merchantAccount) => ({
      hmacKey: `hmac of ${merchantAccount}`,
      user: 'till',
      password: `password of ${merchantAccount}`,
      webhookId: `webhook of ${merchantAccount}`,
    }),
    liveSimulation,
  });

describe('the connection of an account', () => {
  it('uses the simulator of processor_a in test mode', () => {
    expect(connectWith(false)({ accountId, livemode: false, processor: 'processor_a' })).toEqual({
      port: portA,
      connection: {
        accountId,
        livemode: false,
        baseUrl: 'https://a.test/v71',
        disputesUrl: 'https://a.test/ca/services/DisputeService/v30',
        credentials: {
          apiKey: 'sandbox',
          merchantAccount: accountId,
          hmacKey: `hmac of ${accountId}`,
          notificationUser: 'till',
          notificationPassword: `password of ${accountId}`,
        },
      },
      identity: `simulator:${accountId}`,
    });
  });

  it('uses the simulator of processor_b in test mode, with its certificate pinned', () => {
    expect(connectWith(false)({ accountId, livemode: false, processor: 'processor_b' })).toEqual({
      port: portB,
      connection: {
        accountId,
        livemode: false,
        baseUrl: 'https://b.test',
        disputesUrl: 'https://b.test',
        credentials: {
          clientId: accountId,
          clientSecret: 'sandbox',
          merchantId: accountId,
          webhookId: `webhook of ${accountId}`,
          certificateUrl: 'https://b.test/v1/notifications/certs/CERT-SANDBOX',
        },
      },
      identity: `simulator:${accountId}`,
    });
  });

  it('none in live mode without live simulation', () => {
    for (const processor of ['processor_a', 'processor_b'] as const)
      expect(connectWith(false)({ accountId, livemode: true, processor })).toBeUndefined();
  });

  it('has its own merchant account and secrets in live mode under live simulation', () => {
    const a = connectWith(true)({ accountId, livemode: true, processor: 'processor_a' });
    expect(a?.connection).toMatchObject({
      accountId,
      livemode: true,
      credentials: { merchantAccount: `${accountId}_live`, hmacKey: `hmac of ${accountId}_live` },
    });
    const b = connectWith(true)({ accountId, livemode: true, processor: 'processor_b' });
    expect(b?.connection.credentials).toMatchObject({
      clientId: `${accountId}_live`,
      merchantId: `${accountId}_live`,
      webhookId: `webhook of ${accountId}_live`,
    });
  });

  it('passes on how the request waits', async () => {
    const suspend: Suspend = (wait) => wait();
    const asked = { accountId, livemode: false, processor: 'processor_a', suspend } as const;
    expect(connectWith(false)(asked)?.connection.suspend).toBe(suspend);
  });
});

const ofA = {
  baseUrl: 'https://checkout-test.adyen.com/v71',
  credentials: { apiKey: 'AQE-1', merchantAccount: 'ShopCOM', hmacKey: 'ab' },
};
const ofB = {
  baseUrl: 'https://api-m.paypal.com',
  credentials: { clientId: 'app', clientSecret: 'one', merchantId: 'MERCHANT1', webhookId: 'W1' },
};

describe('the processor identity', () => {
  it('names the merchant account in its environment', () => {
    expect(identityOf('processor_a', false, ofA)).toBe('test:ShopCOM');
    expect(identityOf('processor_b', true, ofB)).toBe('live:MERCHANT1');
  });

  it.each([
    ['an API key', { ...ofA, credentials: { ...ofA.credentials, apiKey: 'AQE-2', hmacKey: 'cd' } }],
    ['the address of a proxy', { ...ofA, baseUrl: 'https://proxy.example/adyen' }],
  ])('is unchanged where %s is replaced', (_what, rotated) => {
    expect(identityOf('processor_a', false, rotated)).toBe('test:ShopCOM');
  });

  it('is unchanged where the live prefix, or the app of processor_b, is replaced', () => {
    const live = (prefix: string) => ({
      ...ofA,
      baseUrl: `https://${prefix}-checkout-live.adyenpayments.com/checkout/v71`,
    });
    expect(identityOf('processor_a', true, live('abc-Shop'))).toBe('live:ShopCOM');
    expect(identityOf('processor_a', true, live('def-Shop'))).toBe('live:ShopCOM');
    const app = { ...ofB.credentials, clientId: 'app 2', clientSecret: 'two', webhookId: 'W2' };
    expect(identityOf('processor_b', true, { ...ofB, credentials: app })).toBe('live:MERCHANT1');
  });

  it('differs by environment, and at the simulator', () => {
    expect(identityOf('processor_a', true, ofA)).toBe('test:ShopCOM');
    expect(identityOf('processor_b', true, { ...ofB, baseUrl: 'https://api-m.sandbox.paypal.com' })).toBe(
      'test:MERCHANT1',
    );
    expect(simulatorIdentity('ShopCOM')).not.toBe(identityOf('processor_a', false, ofA));
  });
});
