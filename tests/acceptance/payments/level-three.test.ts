import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const why =
  'Level 3 data needs a commodity_code or unit_of_measure on every line item, and line_items[1] has neither';
const order = {
  amount: 5000,
  line_items: [
    { name: 'Mug', unit_amount: 3000, commodity_code: '44121503' },
    { name: 'Cup', unit_amount: 2000 },
  ],
  duty_amount: 100,
  ships_from_postal_code: '78701',
};

interface Logged {
  readonly warnings: readonly { readonly param: string; readonly message: string }[];
}

/** The request as it appears in the request log. */
async function logged(reply: Reply): Promise<Logged> {
  const id = reply.headers.get('service-request-id') ?? '';
  const find = () => till<Logged>('logs', 'get', id).catch(() => undefined);
  return until('the request is in the log', find);
}

describe.each(['processor_a', 'processor_b'] as const)(
  'Level 3 fields that %s cannot be sent',
  (processor) => {
    it('do not fail the payment, and are named in the request log', async () => {
      const shop = await Merchant.open(processor);
      const developer = await Browser.of(shop, 'developer');
      const reply = await shop.pay(order);
      expect(reply.body).toMatchObject({ status: 'succeeded', amount: 5000 });
      expect(reply.body).not.toHaveProperty('warnings');
      const { warnings } = await logged(reply);
      expect(warnings).toEqual(
        ['duty_amount', 'ships_from_postal_code', 'line_items[0].commodity_code'].map((param) => ({
          param,
          message: `${param} was not sent to the processor: ${why}.`,
        })),
      );
      const id = reply.headers.get('service-request-id') ?? '';
      const shown = await developer.get(`/accounts/${shop.id}/request_logs/${id}`);
      expect(shown.body.warnings).toEqual(warnings);
    });

    it('are none where every line carries a code', async () => {
      const shop = await Merchant.open(processor);
      const lines = order.line_items.map((line) => ({ ...line, unit_of_measure: 'PCE' }));
      const reply = await shop.pay({ ...order, line_items: lines });
      expect(reply.body.status).toBe('succeeded');
      expect((await logged(reply)).warnings).toEqual([]);
    });
  },
);
