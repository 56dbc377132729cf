import { describe, expect, it } from 'vitest';
import {
  compareRecords,
  type DifferenceKind,
  type LedgerEntries,
  type RecordedPayment,
  type RecordedRefund,
} from './differences.ts';

const pay = (changes: Partial<RecordedPayment> = {}): RecordedPayment => ({
  id: 'pay_1',
  status: 'succeeded',
  amount: 1000,
  currency: 'EUR',
  open: false,
  lapsed: false,
  ...changes,
});
const back = (changes: Partial<RecordedRefund> = {}): RecordedRefund => ({
  id: 're_1',
  payment_id: 'pay_1',
  status: 'succeeded',
  amount: 400,
  currency: 'EUR',
  ...changes,
});
const charge = (changes: Partial<LedgerEntries['charges'][number]> = {}) => ({
  reference: 'pay_1',
  amount: 1000,
  currency: 'EUR',
  status: 'captured',
  ...changes,
});
const given = (changes: Partial<LedgerEntries['refunds'][number]> = {}) => ({
  reference: 're_1',
  payment_reference: 'pay_1',
  amount: 400,
  currency: 'EUR',
  status: 'succeeded',
  ...changes,
});

interface Case {
  readonly payments?: readonly RecordedPayment[];
  readonly refunds?: readonly RecordedRefund[];
  readonly charges?: LedgerEntries['charges'];
  readonly given?: LedgerEntries['refunds'];
}

const kindsOf = ({ payments = [pay()], refunds = [], charges = [charge()], given: gave = [] }: Case) =>
  compareRecords({ payments, refunds }, { charges, refunds: gave }).map(({ kind }) => kind);

describe('reconciliation of records and ledger', () => {
  const agreeing: readonly [string, Case][] = [
    ['a charge', {}],
    ['a hold', { payments: [pay({ status: 'authorized' })], charges: [charge({ status: 'authorized' })] }],
    [
      'a hold that lapsed and was failed or voided here',
      { payments: [pay({ status: 'voided', lapsed: true })], charges: [charge({ status: 'authorized' })] },
    ],
    ['a void', { payments: [pay({ status: 'voided' })], charges: [charge({ status: 'voided' })] }],
    ['a decline', { payments: [pay({ status: 'failed' })], charges: [] }],
    ['a cancelled attempt beside the charge', { charges: [charge({ status: 'cancelled' }), charge()] }],
    ['a payment without an answer', { payments: [pay({ status: 'processing', open: true })] }],
    [
      'a hold that is being captured',
      { payments: [pay({ status: 'authorized', open: true })], charges: [charge()] },
    ],
    [
      'a failed payment whose cancellation is open, where nothing is charged',
      { payments: [pay({ status: 'failed', open: true })], charges: [charge({ status: 'cancelled' })] },
    ],
    ['a refund', { refunds: [back()], given: [given()] }],
    ['a pending refund', { refunds: [back({ status: 'pending' })], given: [] }],
    ['a failed refund', { refunds: [back({ status: 'failed' })], given: [given({ status: 'failed' })] }],
  ];
  it.each(agreeing)('agrees on %s', (_what, found) => {
    expect(kindsOf(found)).toEqual([]);
  });

  const faults: readonly [DifferenceKind, Case][] = [
    ['charge_without_payment', { payments: [] }],
    ['charged_twice', { charges: [charge(), charge()] }],
    [
      'charged_twice',
      { payments: [pay({ status: 'processing', open: true })], charges: [charge(), charge()] },
    ],
    ['charged_not_succeeded', { payments: [pay({ status: 'failed' })] }],
    // The cancellation that is open may no longer be possible.
    ['charged_not_succeeded', { payments: [pay({ status: 'failed', open: true })] }],
    [
      'held_not_authorized',
      { payments: [pay({ status: 'failed', open: true })], charges: [charge({ status: 'authorized' })] },
    ],
    ['charged_not_succeeded', { payments: [pay({ status: 'authorized' })] }],
    ['charged_not_succeeded', { payments: [pay({ status: 'requires_action' })] }],
    ['succeeded_not_charged', { charges: [] }],
    ['succeeded_not_charged', { charges: [charge({ status: 'authorized' })] }],
    ['succeeded_not_charged', { charges: [charge({ status: 'cancelled' })] }],
    [
      'held_not_authorized',
      { payments: [pay({ status: 'failed' })], charges: [charge({ status: 'authorized' })] },
    ],
    ['authorized_not_held', { payments: [pay({ status: 'authorized' })], charges: [] }],
    ['amount_differs', { charges: [charge({ amount: 999 })] }],
    ['amount_differs', { charges: [charge({ currency: 'USD' })] }],
    ['refund_without_record', { given: [given()] }],
    ['refunded_twice', { refunds: [back()], given: [given(), given()] }],
    ['refunded_not_recorded', { refunds: [back({ status: 'failed' })], given: [given()] }],
    ['recorded_not_refunded', { refunds: [back()], given: [] }],
    ['recorded_not_refunded', { refunds: [back()], given: [given({ status: 'failed' })] }],
    ['refund_amount_differs', { refunds: [back()], given: [given({ amount: 401 })] }],
    ['refund_amount_differs', { refunds: [back()], given: [given({ currency: 'USD' })] }],
    [
      'refund_of_another_payment',
      {
        payments: [pay(), pay({ id: 'pay_2' })],
        charges: [charge(), charge({ reference: 'pay_2' })],
        refunds: [back()],
        given: [given({ payment_reference: 'pay_2' })],
      },
    ],
    [
      'refunded_more_than_paid',
      {
        refunds: [back({ amount: 600 }), back({ id: 're_2', amount: 600 })],
        given: [given({ amount: 600 }), given({ reference: 're_2', amount: 600 })],
      },
    ],
  ];
  it.each(faults)('reports %s in %j', (kind, found) => {
    expect(kindsOf(found)).toEqual([kind]);
  });

  it('prints both sides of a difference', () => {
    const [difference] = compareRecords(
      { payments: [pay({ status: 'failed' })], refunds: [] },
      { charges: [charge()], refunds: [] },
    );
    expect(difference).toEqual({
      kind: 'charged_not_succeeded',
      reference: 'pay_1',
      ours: 'failed 1000 EUR',
      theirs: 'captured 1000 EUR',
    });
  });
});
