import { beforeAll, describe, expect, it } from 'vitest';
import { cardPayment, Merchant, type Reply } from '../../support/merchant.ts';
import { isFault, paymentWith, publishedTriggers, type TestTrigger } from '../../support/triggers.ts';

/** Every code in the specification's table of declines with which a charge without a challenge can end. */
const declineCodes = [
  'refused',
  'do_not_honor',
  'expired_card',
  'insufficient_funds',
  'invalid_cvv',
  'invalid_card',
  'restricted_card',
  'declined',
  'lost_card',
  'stolen_card',
  'pickup_card',
  '3ds_failed',
  '3ds_not_available',
];

// The table determines the tests, so it has to be read before they are declared.
const table = (await publishedTriggers()).filter(
  (row) =>
    row.processor === 'processor_a' &&
    !isFault(row) &&
    (!/challenge/i.test(row.outcome) || /without a challenge/i.test(row.outcome)),
);
const named = (rows: readonly TestTrigger[]) =>
  rows.map((row) => [row.trigger.field, row.trigger.value, row] as const);
const declining = table.filter((row) => row.failure_code !== undefined);
const approving = table.filter((row) => row.failure_code === undefined && /approved/i.test(row.outcome));

let shop: Merchant;
const charged: string[] = [];
const declined: string[] = [];

beforeAll(async () => {
  shop = await Merchant.open();
});

async function send(body: unknown): Promise<Reply> {
  const reply = await shop.post('/api/v1/payments', body);
  (reply.status === 201 ? charged : declined).push(reply.body.id);
  return reply;
}

const pay = (row: TestTrigger) => send(paymentWith(row));
const payByCard = (card: object) => send(cardPayment({ card }));

describe('the published table', () => {
  it('has a trigger for every decline of the specification, and approving cards of every brand', () => {
    const codes = new Set(declining.map((row) => row.failure_code));
    expect(declineCodes.filter((code) => !codes.has(code))).toEqual([]);
    const outcomes = approving.map((row) => row.outcome).join('\n');
    for (const brand of ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'maestro']) {
      expect(outcomes).toContain(brand);
    }
  });

  it('has the trigger that the specification names', () => {
    const rows = declining.filter((row) => row.trigger.value === 'CCREJECT-REFUSED');
    expect(rows).toContainEqual(
      expect.objectContaining({
        trigger: { field: 'payment_method.holder_name', value: 'CCREJECT-REFUSED' },
        failure_code: 'do_not_honor',
      }),
    );
  });
});

describe('a declining trigger', () => {
  it.each(named(declining))('fails the payment with its code: %s %s', async (_field, _value, row) => {
    const reply = await pay(row);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      object: 'payment',
      status: 'failed',
      failure: { code: row.failure_code, message: expect.stringMatching(/\S/) },
    });
    expect(Object.keys(reply.body.failure).sort()).toEqual(['code', 'message']);
  });
});

describe('an approving card', () => {
  it.each(named(approving))('is charged: %s %s', async (_field, value, row) => {
    const reply = await pay(row);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'succeeded',
      failure: null,
      payment_method: { type: 'card', last4: value.slice(-4), exp_month: 3, exp_year: 2032 },
    });
    expect(reply.body.payment_method.brand).toMatch(/^[a-z_]+$/);
  });
});

describe('a card that is not in the table', () => {
  it('is declined with the advice to use a test card', async () => {
    const reply = await payByCard({ number: '4716059423781163' });
    expect(reply.status).toBe(200);
    expect(reply.body.failure).toEqual({ code: 'invalid_card', message: expect.stringMatching(/test card/) });
  });

  it('is declined and not refused where the check digit is wrong', async () => {
    for (const number of ['4111111111111112', '123456789012', '4111 1111 1111 1113']) {
      const reply = await payByCard({ number });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ status: 'failed', failure: { code: 'invalid_card' } });
    }
  });
});

describe('a directive', () => {
  it('is exact and case-sensitive', async () => {
    for (const holder_name of ['ccreject-refused', 'CCREJECT-REFUSED ', 'Jane CCREJECT-REFUSED']) {
      const reply = await payByCard({ holder_name });
      expect(reply.status).toBe(201);
    }
  });

  it('takes precedence over an approving card', async () => {
    const reply = await payByCard({ number: '5555555555554444', holder_name: 'CCREJECT-EC' });
    expect(reply.body).toMatchObject({ status: 'failed', failure: { code: 'expired_card' } });
  });
});

describe('the ledger', () => {
  it('shows exactly the approved ones, each captured once', async () => {
    const { charges } = await shop.ledger();
    expect(charges.map((charge) => charge.reference).sort()).toEqual([...charged].sort());
    expect(new Set(charges.map((charge) => charge.status))).toEqual(new Set(['captured']));
  });

  it('agrees with the list of payments', async () => {
    const succeeded = await shop.get('/api/v1/payments?status=succeeded&per_page=1');
    expect(succeeded.body.total_count).toBe(charged.length);
    const failed = await shop.get('/api/v1/payments?status=failed&per_page=1');
    expect(failed.body.total_count).toBe(declined.length);
  });
});
