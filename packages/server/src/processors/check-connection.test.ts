import { describe, expect, it } from 'vitest';
import type { ProcessorConnection } from './port/port.ts';
import { checkConnectionA } from './processor-a/check.ts';
import { checkConnectionB } from './processor-b/check.ts';
import { reply, type Step, scriptedTransport } from './wire/test-transport.ts';
import { TransportError } from './wire/transport.ts';

const base = {
  accountId: 'acct_1',
  livemode: true,
  baseUrl: 'https://upstream.example',
  disputesUrl: 'https://upstream.example',
};
const ofA: ProcessorConnection = { ...base, credentials: { apiKey: 'AQE-secret', merchantAccount: 'Shop' } };
const ofB: ProcessorConnection = {
  ...base,
  credentials: { clientId: 'client', clientSecret: 'B-secret', webhookId: 'W1' },
};
const token = reply(200, { access_token: 'token', expires_in: 100 });
const events = ['PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.REFUNDED', 'CUSTOMER.DISPUTE.CREATED'];
const webhook = (names: readonly string[], url = 'https://till.example/processors/b/notifications/acct_1') =>
  reply(200, { url, event_types: names.map((name) => ({ name })) });

describe('checking a processor_a connection', () => {
  const check = (step: Step) => checkConnectionA(scriptedTransport([step]).transport, ofA);

  it('ok where the API key is valid and card payments are enabled', async () => {
    const found = await check(reply(200, { paymentMethods: [{ type: 'scheme' }, { type: 'ideal' }] }));
    expect(found.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it.each<[string, Step, string]>([
    ['a wrong key', reply(401), 'not taken'],
    ['a key of somebody else', reply(403), 'may not use'],
    ['an unknown merchant account', reply(422), 'not known'],
    ['an upstream that fails', reply(500), 'status 500'],
    ['no answer', new TransportError('timeout'), 'timeout'],
    ['no cards', reply(200, { paymentMethods: [{ type: 'ideal' }] }), 'no cards'],
  ])('reports %s', async (_name, step, words) => {
    const found = await check(step);
    expect(found.filter(({ ok }) => !ok).map(({ detail }) => detail)).toEqual([
      expect.stringContaining(words),
    ]);
    expect(JSON.stringify(found)).not.toContain('AQE-secret');
  });
});

describe('checking a processor_b connection', () => {
  const check = (...steps: Step[]) => checkConnectionB(scriptedTransport(steps).transport, ofB);

  it('ok where the app is known and its webhook points here', async () => {
    expect((await check(token, webhook(events))).map(({ ok }) => ok)).toEqual([true, true]);
    expect((await check(token, webhook(['*']))).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it.each<[string, Step[], string]>([
    ['a wrong secret', [reply(401)], '401'],
    ['no answer', [new TransportError('not_sent')], 'not_sent'],
    ['an unknown webhook', [token, reply(404)], 'no webhook'],
    [
      'a webhook that is notified of too little',
      [token, webhook(events.slice(1))],
      'PAYMENT.CAPTURE.COMPLETED',
    ],
    ['a webhook of another account', [token, webhook(events, 'https://till.example/x')], 'does not end with'],
    ['a webhook without an answer', [token, new TransportError('dropped')], 'dropped'],
  ])('reports %s', async (_name, steps, words) => {
    const found = await check(...steps);
    expect(found.filter(({ ok }) => !ok).map(({ detail }) => detail)).toEqual([
      expect.stringContaining(words),
    ]);
    expect(JSON.stringify(found)).not.toContain('B-secret');
  });
});
