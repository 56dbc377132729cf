import { expect, it } from 'vitest';
import { linesDocument } from '../../lib/text/text-document.ts';
import { evidenceLines, type PaymentRecord, proposedSections } from './evidence-words.ts';

const method = { type: 'card', brand: 'visa', last4: '1111' } as const;
const address = { line1: '1 High Street', postal_code: '10115', city: 'Berlin', country: 'DE' };
const payment = {
  id: 'pay_1',
  amount: 4990,
  currency: 'EUR',
  reference: 'order-1',
  shopper_statement: null,
  payment_method: method,
  created: 1_795_000_000,
};
const record: PaymentRecord = {
  accountName: 'Shop',
  livemode: true,
  payment: {
    ...payment,
    three_d_secure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
    avs: { code: 'Y', address: 'match', postal_code: 'match', cvc: 'not_checked' },
  },
  refunded: 1000,
  customer: null,
  ip: '203.0.113.7',
  device: 'Firefox',
  billing: address,
  delivery: address,
  order: { line_items: [{ name: 'Shoes', unit_amount: 4990 }] },
  timeline: [
    {
      kind: 'payment.succeeded',
      at: '2026-11-20T10:00:00Z',
      object: 'pay_1',
      event: 'evt_1',
      by: null,
      deliveries: (['succeeded', 'pending'] as const).map((state) => ({
        id: 'dlv_1',
        endpoint: 'we_1',
        name: state === 'succeeded' ? 'Warehouse' : null,
        url: 'https://shop.example',
        state,
        attempts: 1,
        next_attempt_at: null,
      })),
    },
  ],
  earlier: [
    {
      payment: { ...payment, id: 'pay_0' },
      ip: '203.0.113.7',
      device: null,
      delivery: address,
      isDisputed: false,
    },
    {
      payment: { ...payment, id: 'pay_00', payment_method: { ...method, last4: '2222' } },
      ip: null,
      device: 'Safari',
      delivery: null,
      isDisputed: true,
    },
  ],
};

const textOf = (given: PaymentRecord): string =>
  proposedSections(given)
    .flatMap(({ title, facts }) => [title, ...facts.map(({ name, value }) => `${name}: ${value}`)])
    .join('\n');

it('names receipt, buyer, checks, history and earlier payments', () => {
  const text = textOf(record);
  for (const line of [
    'Amount: 49.90 EUR',
    'Paid with: visa, ending in 1111',
    'Refunded: 10.00 EUR',
    'Item: 1 x Shoes, 49.90 EUR each',
    'Delivery address: 1 High Street, 10115 Berlin, DE',
    '3-D Secure: liability shifted to the issuer (reported: POSSIBLE)',
    'Address and code: address match, postal code match, security code not checked',
    "2026-11-20 10:00:00 UTC: payment succeeded; the shop's server took the notice",
    'pay_0, reference order-1, not disputed, same card number ending, same IP address, same delivery address',
    'pay_00, reference order-1, disputed',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain('disputed, same browser');
});

it('leaves out what is not known, and says where 3-D Secure reported nothing', () => {
  const little: PaymentRecord = {
    ...record,
    payment,
    refunded: 0,
    ip: null,
    device: null,
    billing: null,
    delivery: null,
    order: { line_items: [] },
    timeline: [],
    earlier: [],
  };
  const sections = proposedSections(little);
  expect(sections.map(({ title }) => title)).toEqual(['Receipt', 'Authentication and checks']);
  expect(textOf(little)).toContain('3-D Secure: no result was reported');
});

it('the document has names and values in columns, and says of a test payment that it is one', () => {
  const long = { ...record, livemode: false, device: 'Mozilla/5.0 '.repeat(12).trim() };
  const lines = evidenceLines(long, proposedSections(long), '2026-11-23T10:00:00Z');
  const plain = lines.filter((line) => typeof line === 'string');
  expect(plain.every((line) => line.length <= 110)).toBe(true);
  expect(plain).toContain(
    'From the records of Shop, 2026-11-23 10:00:00 UTC. A test payment: no money was moved.',
  );
  expect(plain.filter((line) => line.includes('Mozilla')).every((line) => line.length <= 80)).toBe(true);
  expect(plain.filter((line) => line.startsWith(`${' '.repeat(26)}Mozilla`)).length).toBeGreaterThan(1);
  expect(linesDocument(lines).toString('latin1')).toContain('(Payment pay_1) ');
});
