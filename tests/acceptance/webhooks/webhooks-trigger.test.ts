import { describe, expect, it } from 'vitest';
import { Merchant, target, till, tillRaw } from '../../support/merchant.ts';

describe('till trigger', () => {
  it.each([
    ['processor_a', ['payment.succeeded', 'payment.failed', 'payment.requires_action']],
    ['processor_b', ['payment.requires_action', 'payment.authorized', 'payment.voided']],
  ] as const)('creates real events on %s', async (processor, types) => {
    const shop = await Merchant.open(processor);
    for (const type of types) {
      const made = await till('trigger', type, '--api-key', shop.key, '--server', target().baseUrl);
      const event = (await shop.get(`/api/v1/events/${String(made.event)}`)).body;
      expect(event).toMatchObject({ type, data: { object: { id: made.object } } });
    }
  });

  it.each(['refund.succeeded', 'refund.failed', 'dispute.created'])(
    'makes %s of a payment that is named',
    async (type) => {
      const shop = await Merchant.open();
      const payment = (await shop.pay()).body.id as string;
      const parameters = ['--on', payment, '--api-key', shop.key, '--server', target().baseUrl];
      const made = await till('trigger', type, ...parameters);
      const event = (await shop.get(`/api/v1/events/${String(made.event)}`)).body;
      expect(event).toMatchObject({ type, data: { object: { id: made.object, payment } } });
    },
  );

  it.each(['payment.failed', 'payment.requires_action', 'payment.authorized'])(
    'makes %s of no payment that is there, and no other one instead',
    async (type) => {
      const shop = await Merchant.open();
      const payment = (await shop.pay()).body.id as string;
      const parameters = ['--on', payment, '--api-key', shop.key, '--server', target().baseUrl, '--json'];
      const { out, exitCode } = await tillRaw('trigger', type, ...parameters);
      expect({ exitCode, code: (JSON.parse(out) as { error?: { code: string } }).error?.code }).toEqual({
        exitCode: 1,
        code: 'invalid_usage',
      });
      expect((await shop.get('/api/v1/payments')).body.total_count).toBe(1);
    },
  );

  it('refuses unknown types, live keys and what the API refuses', async () => {
    const shop = await Merchant.open();
    const codeOf = async (...parameters: string[]) => {
      const result = await tillRaw('trigger', ...parameters, '--server', target().baseUrl, '--json');
      expect(result.exitCode).toBe(1);
      return (JSON.parse(result.out) as { error: { code: string } }).error.code;
    };
    expect(await codeOf('payment.exploded', '--api-key', shop.key)).toBe('invalid_usage');
    expect(await codeOf('payment.failed', '--api-key', 'sk_live_x')).toBe('not_sandbox');
    expect(await codeOf('payment.authorized', '--api-key', shop.key)).toBe('invalid_params');
    expect(await codeOf('refund.failed', '--api-key', shop.key, '--on', 'pay_x')).toBe('not_found');
  });
});
