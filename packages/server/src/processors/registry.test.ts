import { describe, expect, it } from 'vitest';
import type { ProcessorPort } from './port.ts';
import { createRegistry } from './registry.ts';

const accountId = 'acct_0mfy2k9a7c3e5g1h8j4m6p2q';
const portA = { name: 'processor_a' } as ProcessorPort;
const portB = { name: 'processor_b' } as ProcessorPort;

const connectWith = (liveSimulation: boolean) =>
  createRegistry({
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

describe('the way of an account to its processor', () => {
  it('leads to the simulator of processor_a in test mode', () => {
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

  it('leads to the simulator of processor_b in test mode, with its certificate pinned', () => {
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

  it('does not exist in live mode without live simulation', () => {
    for (const processor of ['processor_a', 'processor_b'] as const)
      expect(connectWith(false)({ accountId, livemode: true, processor })).toBeUndefined();
  });

  it('has a merchant account and secrets of its own in live mode under live simulation', () => {
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
});
