import { describe, expect, it } from 'vitest';
import { type CounterName, countFindings, type Evidence, findFaults, noFaults } from './counters.ts';

const payment = {
  id: 'pay_1',
  status: 'succeeded',
  amount: 100,
  currency: 'EUR',
  open: false,
  lapsed: false,
  reference: 'order-1',
  failure_code: null,
};
const refund = { id: 're_1', payment_id: 'pay_1', status: 'succeeded', amount: 40, currency: 'EUR' };
const charge = { reference: 'pay_1', amount: 100, currency: 'EUR', status: 'captured' } as const;
const given = {
  reference: 're_1',
  payment_reference: 'pay_1',
  amount: 40,
  currency: 'EUR',
  status: 'succeeded',
};
const events = [
  { id: 'evt_1', type: 'payment.succeeded', object: 'pay_1' },
  { id: 'evt_2', type: 'refund.succeeded', object: 're_1' },
];
const reply = { status: 201, text: JSON.stringify({ id: 'pay_1', status: 'succeeded' }) };
const exchanged = { key: 'key-1', path: '/api/v1/payments', replies: [reply, reply] };

const sound: Evidence = {
  payments: [payment],
  refunds: [refund],
  ledger: { charges: [charge], refunds: [given] },
  disputes: [],
  others: [],
  declined: new Set(),
  events,
  received: [...events, ...events],
  exchanged: [exchanged],
};

const faulty: readonly (readonly [what: string, counter: CounterName, evidence: Partial<Evidence>])[] = [
  ['two charges of a payment', 'double charged', { ledger: { charges: [charge, charge], refunds: [given] } }],
  [
    'two charged payments of one request',
    'double charged',
    {
      payments: [payment, { ...payment, id: 'pay_2' }],
      ledger: { charges: [charge, { ...charge, reference: 'pay_2' }], refunds: [given] },
      events: [...events, { id: 'evt_3', type: 'payment.succeeded', object: 'pay_2' }],
      received: [...events, { id: 'evt_3', type: 'payment.succeeded', object: 'pay_2' }],
    },
  ],
  ['two refunds for one', 'double charged', { ledger: { charges: [charge], refunds: [given, given] } }],
  [
    'a charge without a payment',
    'charged, not succeeded',
    { ledger: { charges: [charge, { ...charge, reference: 'pay_9' }], refunds: [given] } },
  ],
  [
    'a hold of another amount',
    'charged, not succeeded',
    { ledger: { charges: [{ ...charge, amount: 99 }], refunds: [given] } },
  ],
  ['no charge', 'succeeded, not charged', { ledger: { charges: [], refunds: [given] } }],
  [
    'a charge of a payment that is reported as failed while its cancellation is open',
    'charged, not succeeded',
    {
      payments: [{ ...payment, status: 'failed', open: true }],
      refunds: [],
      ledger: { charges: [charge], refunds: [] },
      events: [{ id: 'evt_1', type: 'payment.failed', object: 'pay_1' }],
      received: [{ id: 'evt_1', type: 'payment.failed', object: 'pay_1' }],
      exchanged: [],
    },
  ],
  [
    'a decline that nobody reported',
    'declined without a decline',
    {
      payments: [{ ...payment, status: 'failed', failure_code: 'declined' }],
      refunds: [],
      ledger: { charges: [], refunds: [] },
      events: [{ id: 'evt_1', type: 'payment.failed', object: 'pay_1' }],
      received: [{ id: 'evt_1', type: 'payment.failed', object: 'pay_1' }],
      exchanged: [],
    },
  ],
  [
    'a dispute that is lost upstream',
    'dispute differing',
    { disputes: [{ id: 'dsp_1', status: 'challenged', upstream: 'lost' }] },
  ],
  ['no refund', 'succeeded, not charged', { ledger: { charges: [charge], refunds: [] } }],
  ['an outcome without its event', 'event missing', { events: events.slice(1), received: events.slice(1) }],
  ['an event that never came', 'event missing', { received: events.slice(1) }],
  [
    'an event under two ids',
    'event duplicated',
    { received: [...events, { id: 'evt_9', type: 'payment.succeeded', object: 'pay_1' }] },
  ],
  [
    'another answer to a repeat',
    'reply differing',
    { exchanged: [{ ...exchanged, replies: [reply, { ...reply, text: `${reply.text} ` }] }] },
  ],
  ['a refusal', 'reply differing', { exchanged: [{ ...exchanged, replies: [{ status: 422, text: '{}' }] }] }],
  [
    'an answer that is not on record',
    'reply differing',
    {
      exchanged: [
        {
          ...exchanged,
          replies: [{ status: 201, text: JSON.stringify({ id: 'pay_9', status: 'succeeded' }) }],
        },
      ],
    },
  ],
  [
    'an answer that became untrue',
    'reply differing',
    {
      exchanged: [
        { ...exchanged, replies: [{ status: 200, text: JSON.stringify({ id: 'pay_1', status: 'failed' }) }] },
      ],
    },
  ],
];

describe('what is left of an account', () => {
  it('is without a fault where both sides agree; an event may come twice', () => {
    expect(findFaults(sound)).toEqual([]);
  });

  it.each(faulty)('with %s counts as "%s"', (_what, counter, evidence) => {
    const found = findFaults({ ...sound, ...evidence });
    expect(countFindings(found)).toEqual({ ...noFaults, [counter]: 1 });
  });
});
