import { describe, expect, it } from 'vitest';
import type { ProcessorConnection, ProcessorPort } from '../port.ts';
import {
  type Connected,
  connectionOf,
  identityOf,
  isOfMerchant,
  requireConnectionOf,
  simulatorIdentity,
  whyUnreachable,
} from './connected.ts';

const ofA = {
  baseUrl: 'https://checkout-test.adyen.com/v71',
  credentials: { apiKey: 'AQE-1', merchantAccount: 'ShopCOM', hmacKey: 'ab' },
};
const ofB = {
  baseUrl: 'https://api-m.paypal.com',
  credentials: { clientId: 'app', clientSecret: 'one', merchantId: 'MERCHANT1', webhookId: 'W1' },
};

describe('an identity', () => {
  it('names the merchant account in its environment', () => {
    expect(identityOf('processor_a', false, ofA)).toBe('test:ShopCOM');
    expect(identityOf('processor_b', true, ofB)).toBe('live:MERCHANT1');
  });

  it.each([
    ['an API key', { ...ofA, credentials: { ...ofA.credentials, apiKey: 'AQE-2', hmacKey: 'cd' } }],
    ['the address of a proxy', { ...ofA, baseUrl: 'https://proxy.example/adyen' }],
  ])('stays the same when %s is replaced', (_what, rotated) => {
    expect(identityOf('processor_a', false, rotated)).toBe('test:ShopCOM');
  });

  it('stays the same when the live prefix is replaced, and when the app of processor_b is', () => {
    const live = (prefix: string) => ({
      ...ofA,
      baseUrl: `https://${prefix}-checkout-live.adyenpayments.com/checkout/v71`,
    });
    expect(identityOf('processor_a', true, live('abc-Shop'))).toBe('live:ShopCOM');
    expect(identityOf('processor_a', true, live('def-Shop'))).toBe('live:ShopCOM');
    const app = { ...ofB.credentials, clientId: 'app 2', clientSecret: 'two', webhookId: 'W2' };
    expect(identityOf('processor_b', true, { ...ofB, credentials: app })).toBe('live:MERCHANT1');
  });

  it('is another one in the other environment, and at the simulator', () => {
    expect(identityOf('processor_a', true, ofA)).toBe('test:ShopCOM');
    expect(identityOf('processor_b', true, { ...ofB, baseUrl: 'https://api-m.sandbox.paypal.com' })).toBe(
      'test:MERCHANT1',
    );
    expect(simulatorIdentity('ShopCOM')).not.toBe(identityOf('processor_a', false, ofA));
  });
});

const account = { accountId: 'acct_1', livemode: true, processor: 'processor_a' } as const;
const caller = { ...account, connection: { connected: true } };
const connected = (identity: string): Connected => ({
  port: {} as ProcessorPort,
  connection: {} as ProcessorConnection,
  identity,
});
const madeWith = (processor_identity: string | null) => ({ processor_identity });
const parts = (identity: string | null) => ({
  connect: () => (identity === null ? undefined : connected(identity)),
});

describe('the way to the processor of something that exists', () => {
  it('leads to the merchant account that made it, or nowhere', () => {
    expect(connectionOf(parts('live:One'), account, madeWith('live:One'))?.identity).toBe('live:One');
    expect(connectionOf(parts('live:Two'), account, madeWith('live:One'))).toBeUndefined();
    expect(connectionOf(parts(null), account, madeWith('live:One'))).toBeUndefined();
  });

  it('leads anywhere for what was made before identities were kept', () => {
    expect(connectionOf(parts('live:Two'), account, madeWith(null))?.identity).toBe('live:Two');
    expect(whyUnreachable(connected('live:Two'), madeWith(null))).toBeNull();
    expect(isOfMerchant(madeWith(null), 'live:Two')).toBe(true);
  });

  it('provider_not_configured says what it was made with, what it meets now and what to do', () => {
    const ask = (identity: string | null) => () =>
      requireConnectionOf(parts(identity), caller, madeWith('live:One'), { inDoubt: false });
    expect(ask('live:Two')).toThrow(
      expect.objectContaining({
        code: 'provider_not_configured',
        message: expect.stringMatching(/account One.*account Two.*till connections set/),
      }),
    );
    expect(ask(null)).toThrow(expect.objectContaining({ message: expect.stringMatching(/account One/) }));
    expect(ask('simulator:acct_1_live')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/the simulator/) }),
    );
  });

  it('provider_unavailable where what was asked before may have been carried out', () => {
    const ask = () => requireConnectionOf(parts('live:Two'), caller, madeWith('live:One'), { inDoubt: true });
    expect(ask).toThrow(expect.objectContaining({ code: 'provider_unavailable', status: 503 }));
  });

  it.each([
    [true, 'provider_unavailable', 503],
    [false, 'provider_not_configured', 422],
  ])('where the account is set to disconnected, in doubt %s: %s', (inDoubt, code, status) => {
    const disconnected = { ...account, connection: { connected: false } };
    const ask = () => requireConnectionOf(parts('live:One'), disconnected, madeWith('live:One'), { inDoubt });
    expect(ask).toThrow(expect.objectContaining({ code, status }));
  });
});

it('another merchant account speaks for nothing that this one made', () => {
  expect(isOfMerchant(madeWith('live:One'), 'live:Two')).toBe(false);
  expect(isOfMerchant(madeWith('live:One'), 'live:One')).toBe(true);
  expect(isOfMerchant(madeWith('live:One'), null)).toBe(true);
});
