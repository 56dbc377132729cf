import { describe, expect, it } from 'vitest';
import type { ClientTokenRequest } from '../../port/instruments.ts';
import { reply, type Step, scriptedTransport } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { createProcessorB } from '../adapter.ts';
import { connection, fault, foreignPage, missing, run } from '../test-kit.ts';

describe('removeInstrument', () => {
  const remove = (steps: readonly Step[], token = '8kk845') =>
    run(steps, (port) =>
      port.removeInstrument(connection, { token, customerId: 'cus_1', upstreamKey: 'pm_1:r' }),
    );

  it('deletes the token upstream', async () => {
    const { outcome, calls, sent, keys } = await remove([reply(204, '')], 'a/../b');
    expect(outcome).toEqual({ kind: 'removed' });
    expect(calls).toEqual(['DELETE /v3/vault/payment-tokens/a%2F..%2Fb']);
    expect(keys).toEqual(['pm_1:r']);
    expect(sent[0]?.body).toHaveLength(0);
    expect(sent[0]?.headers).not.toHaveProperty('content-type');
  });

  it('counts a missing token as deleted', async () => {
    expect((await remove([missing])).outcome).toEqual({ kind: 'removed' });
  });

  it.each([
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [fault(400, 'INVALID_PARAMETER_VALUE'), 'not_executed', 'provider_error'],
    [reply(400), 'unknown', 'provider_error'],
    [foreignPage, 'unknown', 'provider_error'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(503), 'unknown', 'provider_unavailable'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
  ])('%# not a definite answer', async (step, kind, answer) => {
    expect((await remove([step])).outcome).toMatchObject({ kind, answer });
  });
});

describe('clientToken', () => {
  /** An adapter with an upstream that plays the steps in order, including token requests. */
  const adapter = (steps: readonly Step[]) => {
    const { transport, sent } = scriptedTransport(steps);
    const port = createProcessorB({
      transport,
      delay: async () => {},
      elapsed: () => 0,
      now: () => new Date('2026-11-20T12:00:00Z'),
    });
    const mint = (changes: Partial<ClientTokenRequest> = {}) =>
      port.clientToken(connection, { upstreamCustomer: null, domains: [], ...changes });
    return { port, sent, mint };
  };
  const issued = (token: string) => reply(200, { access_token: token, expires_in: 900 });

  it('is created for the sites that may use it', async () => {
    const { mint, sent } = adapter([issued('ct')]);
    expect(
      await mint({ domains: ['shop.example', 'www.shop.example'], upstreamCustomer: '1234567890' }),
    ).toEqual({ kind: 'minted', token: 'ct', clientId: 'client', lifetimeSeconds: 900 });
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://api-m.example/v1/oauth2/token',
      headers: {
        authorization: `Basic ${Buffer.from('client:secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect([...new URLSearchParams(sent[0]?.body.toString())]).toEqual([
      ['grant_type', 'client_credentials'],
      ['response_type', 'client_token'],
      ['domains[]', 'shop.example'],
      ['domains[]', 'www.shop.example'],
      ['target_customer_id', '1234567890'],
    ]);
  });

  it('is not cached, and not used as the token of requests', async () => {
    const { port, mint, sent } = adapter([issued('ct1'), issued('ct2'), issued('access'), reply(204, '')]);
    expect(await mint()).toMatchObject({ token: 'ct1' });
    expect(await mint()).toMatchObject({ token: 'ct2' });
    await port.removeInstrument(connection, { token: '8kk845', customerId: 'cus_1', upstreamKey: 'k' });
    expect(sent[2]?.body.toString()).toBe('grant_type=client_credentials');
    expect(sent[3]?.headers.authorization).toBe('Bearer access');
  });

  it.each([
    [reply(401, { error: 'invalid_client' }), 'provider_error'],
    [reply(503), 'provider_unavailable'],
    [reply(200, {}), 'provider_error'],
    [new TransportError('timeout'), 'provider_unavailable'],
  ])('%# fails', async (step, answer) => {
    expect(await adapter([step]).mint()).toMatchObject({ kind: 'not_executed', answer });
  });
});
