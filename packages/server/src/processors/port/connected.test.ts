import { describe, expect, it } from 'vitest';
import {
  belongsToMerchant,
  type Connected,
  connectionOf,
  requireConnectionOf,
  unreachableReason,
} from './connected.ts';
import type { ProcessorConnection, ProcessorPort } from './port.ts';

const account = { accountId: 'acct_1', livemode: true, processor: 'processor_a' } as const;
const caller = { ...account, connection: { connected: true } };
const connected = (identity: string): Connected => ({
  port: {} as ProcessorPort,
  connection: {} as ProcessorConnection,
  identity,
});
const madeWith = (processor_identity: string | null) => ({ processor_identity });
const deps = (identity: string | null) => ({
  connect: () => (identity === null ? undefined : connected(identity)),
});

describe('the connection of an existing object', () => {
  it('is that of the merchant account where it was made, or none', () => {
    expect(connectionOf(deps('live:One'), account, madeWith('live:One'))?.identity).toBe('live:One');
    expect(connectionOf(deps('live:Two'), account, madeWith('live:One'))).toBeUndefined();
    expect(connectionOf(deps(null), account, madeWith('live:One'))).toBeUndefined();
  });

  it('is the present one for objects without a stored merchant account', () => {
    expect(connectionOf(deps('live:Two'), account, madeWith(null))?.identity).toBe('live:Two');
    expect(unreachableReason(connected('live:Two'), madeWith(null))).toBeNull();
    expect(belongsToMerchant(madeWith(null), 'live:Two')).toBe(true);
  });

  it('422 provider_not_configured with the account it was made at, the present one and the remedy', () => {
    const ask = (identity: string | null) => () =>
      requireConnectionOf(deps(identity), caller, madeWith('live:One'), { inDoubt: false });
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

  it('503 provider_unavailable where an earlier request may have been carried out', () => {
    const ask = () => requireConnectionOf(deps('live:Two'), caller, madeWith('live:One'), { inDoubt: true });
    expect(ask).toThrow(expect.objectContaining({ code: 'provider_unavailable', status: 503 }));
  });

  it.each([
    [true, 'provider_unavailable', 503],
    [false, 'provider_not_configured', 422],
  ])('disconnected in the settings, in doubt %s: %s', (inDoubt, code, status) => {
    const disconnected = { ...account, connection: { connected: false } };
    const ask = () => requireConnectionOf(deps('live:One'), disconnected, madeWith('live:One'), { inDoubt });
    expect(ask).toThrow(expect.objectContaining({ code, status }));
  });
});

it('another merchant account’s notifications are not applied to it', () => {
  expect(belongsToMerchant(madeWith('live:One'), 'live:Two')).toBe(false);
  expect(belongsToMerchant(madeWith('live:One'), 'live:One')).toBe(true);
  expect(belongsToMerchant(madeWith('live:One'), null)).toBe(true);
});
