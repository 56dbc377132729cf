import { describe, expect, it } from 'vitest';
import { Merchant } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const charged = { card: { holder_name: 'SIM-TIMEOUT-DONE' }, reference: 'outage' };

/** processor_b remembers an idempotency key only for hours. After that a repeated request would be a second charge. */
describe('a charge on processor_b that got no answer for longer than its key is remembered', () => {
  it.each([6, 23])('is settled by its notification and charged once: %i hours', async (hours) => {
    const shop = await Merchant.open('processor_b');
    const options = { idempotencyKey: 'outage' };
    expect((await shop.pay(charged, options)).status).toBe(503);
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: hours * 3600 });
    const payment = await until('the payment has its outcome', async () => {
      const { data } = (await shop.get('/api/v1/payments?reference=outage')).body;
      return data[0];
    });
    expect(payment).toMatchObject({ status: 'succeeded', failure: null });
    const repeated = await shop.pay(charged, options);
    expect([repeated.status, repeated.body.id]).toEqual([201, payment.id]);
    expect((await shop.ledger()).charges).toEqual([
      { reference: payment.id, amount: 4990, currency: 'EUR', status: 'captured' },
    ]);
  });
});
