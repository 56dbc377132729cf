import { isoExponent, payPalDecimals } from '../../lib/money.ts';
import { line, quoted } from '../../settlement/csv.ts';
import { type Batch, type Movement, type MovementKind, signOf } from '../../settlement/movement.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { walletFee } from '../model/amounts.ts';
import { movementsB } from './movements.ts';

/** The columns of a section's body (PayPal docs, "Settlement Report Specification", section body data). */
const columns = [
  'Transaction ID',
  'Invoice ID',
  'PayPal Reference ID',
  'PayPal Reference ID Type',
  'Transaction Event Code',
  'Transaction Initiation Date',
  'Transaction Completion Date',
  'Transaction Debit or Credit',
  'Gross Transaction Amount',
  'Gross Transaction Currency',
  'Fee Debit or Credit',
  'Fee Amount',
  'Fee Currency',
  'Custom Field',
  'Consumer ID',
  'Payment Tracking ID',
  'Store ID',
  'Bank Reference ID',
  'Credit Transactional Fee',
  'Credit Promotional Fee',
  'Credit Term',
];

/** PayPal docs, "Transaction event codes". */
const eventCodes: Readonly<Record<MovementKind, string>> = {
  payment: 'T0006',
  refund: 'T1107',
  // The documentation has no code for reversed refunds: they are booked like refunds, but as a credit.
  refund_reversed: 'T1107',
  chargeback: 'T1201',
  chargeback_reversed: 'T1202',
};
const withdrawal = 'T0400';

/** An amount without its sign, in the smallest unit that PayPal can represent. */
function unsigned(minor: number, currency: string): string {
  const units = minor / 10 ** (isoExponent(currency) - payPalDecimals(currency));
  return String(Math.abs(Math.trunc(units)));
}

const side = (amount: number): string => quoted(amount < 0 ? 'DR' : 'CR');

/** Formats a time like `2026/11/20 12:00:00 +0000`. */
const dateTime = (at: Date): string =>
  `${at.toISOString().slice(0, 10).replaceAll('-', '/')} ${at.toISOString().slice(11, 19)} +0000`;

interface Body {
  readonly id: string;
  readonly reference: string;
  readonly code: string;
  readonly at: Date;
  readonly gross: number;
  /** PayPal's fee, not negative. */
  readonly fee: number;
  readonly currency: string;
  readonly custom: string;
}

function bodyLine(body: Body): string {
  const { at, gross, fee, currency } = body;
  return line([
    quoted('SB'),
    quoted(body.id),
    quoted(''),
    quoted(body.reference),
    quoted(body.reference === '' ? '' : 'TXN'),
    quoted(body.code),
    dateTime(at),
    dateTime(at),
    side(gross),
    unsigned(gross, currency),
    quoted(currency),
    fee === 0 ? quoted('') : side(-fee),
    fee === 0 ? '' : unsigned(fee, currency),
    fee === 0 ? quoted('') : quoted(currency),
    quoted(body.custom),
    ...Array.from({ length: 4 }, () => quoted('')),
    '',
    '',
    quoted(''),
  ]);
}

const bodyOf = (movement: Movement): Body => ({
  id: movement.upstreamId,
  reference: movement.kind === 'payment' ? '' : movement.upstreamPayment,
  code: eventCodes[movement.kind],
  at: movement.at,
  gross: signOf(movement) * movement.amount,
  fee: movement.kind === 'payment' ? walletFee(movement.amount, movement.currency) : 0,
  currency: movement.currency,
  custom: movement.refund ?? movement.payment,
});

/** One section: the movements in one currency, and their withdrawal to the bank. */
function section(batch: Batch): string {
  const { movements, currency, merchantAccount, closedAt } = batch;
  const bodies = movements.map(bodyOf);
  const net = bodies.reduce((sum, { gross, fee }) => sum + gross - fee, 0);
  const id = `W${String(batch.number).padStart(16, '0')}`;
  const paid = {
    id,
    reference: '',
    code: withdrawal,
    at: closedAt,
    gross: -net,
    fee: 0,
    currency,
    custom: '',
  };
  const lines = net === 0 ? bodies : [...bodies, paid];
  const sums = (above: boolean) => lines.filter(({ gross }) => gross > 0 === above);
  const total = (rows: readonly Body[]) => rows.reduce((sum, { gross }) => sum + gross, 0);
  const fees = bodies.reduce((sum, { fee }) => sum + fee, 0);
  const first = movements[0]?.at ?? closedAt;
  return [
    line([quoted('SH'), dateTime(first), dateTime(closedAt), quoted(merchantAccount), quoted('')]),
    line([quoted('CH'), ...columns.map(quoted)]),
    ...lines.map(bodyLine),
    line([
      quoted('SF'),
      quoted(currency),
      unsigned(total(sums(true)), currency),
      unsigned(total(sums(false)), currency),
      '0',
      unsigned(fees, currency),
    ]),
    line([quoted('SC'), String(lines.length)]),
  ].join('');
}

/** The settlements of processor_b, with a Settlement report of one section per currency. */
export const settlementB: NonNullable<Simulator['settlement']> = {
  movements: movementsB,
  report(batches) {
    const [first] = batches;
    const at = first?.closedAt ?? new Date(0);
    const count = batches.reduce((sum, { movements }) => sum + movements.length, 0);
    const content = [
      line([quoted('RH'), dateTime(at), quoted('A'), quoted(first?.merchantAccount ?? ''), '9']),
      line([quoted('FH'), '1']),
      ...batches.map(section),
      line([quoted('RC'), String(count)]),
      line([quoted('FF'), '1']),
    ].join('');
    const day = at.toISOString().slice(0, 10).replaceAll('-', '');
    return { name: `STL-${day}.${String(first?.number ?? 0).padStart(2, '0')}.009.CSV`, content };
  },
};
