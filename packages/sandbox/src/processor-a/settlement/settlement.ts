import { isoExponent } from '../../lib/money.ts';
import { field, line } from '../../settlement/csv.ts';
import { type Batch, type Movement, type MovementKind, signOf } from '../../settlement/movement.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { movementsA } from './movements.ts';

/** The columns of the Settlement details report in their order (Adyen docs, "Settlement details report"). */
const columns = [
  'Company Account',
  'Merchant Account',
  'Psp Reference',
  'Merchant Reference',
  'Payment Method',
  'Creation Date',
  'TimeZone',
  'Type',
  'Modification Reference',
  'Gross Currency',
  'Gross Debit (GC)',
  'Gross Credit (GC)',
  'Exchange Rate',
  'Net Currency',
  'Net Debit (NC)',
  'Net Credit (NC)',
  'Commission (NC)',
  'Markup (NC)',
  'Scheme Fees (NC)',
  'Interchange (NC)',
  'Payment Method Variant',
  'Modification Merchant Reference',
  'Batch Number',
  'Reserved4',
  'Reserved5',
  'Reserved6',
  'Reserved7',
  'Reserved8',
  'Reserved9',
  'Reserved10',
] as const;
type Row = Readonly<Partial<Record<(typeof columns)[number], string>>>;

const types: Readonly<Record<MovementKind, string>> = {
  payment: 'Settled',
  refund: 'Refunded',
  refund_reversed: 'RefundedReversed',
  chargeback: 'Chargeback',
  chargeback_reversed: 'ChargebackReversed',
};

/**
 * Simplified fees of a card payment as fractions of its amount. The rest of the price is charged per
 * transaction.
 */
const shares = { 'Markup (NC)': 0.006, 'Scheme Fees (NC)': 0.0012, 'Interchange (NC)': 0.002 } as const;
/** In the currency's minor units: the fee of each movement, and the fee of each chargeback. */
const eachFee = 11;
const chargebackFee = 750;

const decimal = (minor: number, currency: string): string =>
  (minor / 10 ** isoExponent(currency)).toFixed(isoExponent(currency));
const dateTime = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

/** The amount as a debit or a credit, in one of the two columns. */
const sided = (what: 'Gross' | 'Net', unit: 'GC' | 'NC', amount: number, currency: string): Row =>
  amount < 0
    ? { [`${what} Debit (${unit})`]: decimal(-amount, currency) }
    : { [`${what} Credit (${unit})`]: decimal(amount, currency) };

const feesOf = ({ kind, amount }: Movement): Readonly<Record<keyof typeof shares, number>> => {
  const share = (part: number) => (kind === 'payment' ? Math.round(amount * part) : 0);
  return {
    'Markup (NC)': share(shares['Markup (NC)']),
    'Scheme Fees (NC)': share(shares['Scheme Fees (NC)']),
    'Interchange (NC)': share(shares['Interchange (NC)']),
  };
};

const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

function movementRow(movement: Movement): { row: Row; net: number } {
  const { currency, at } = movement;
  const gross = signOf(movement) * movement.amount;
  const fees = feesOf(movement);
  const net = gross - sum(Object.values(fees));
  const written = Object.entries(fees).map(([name, fee]) => [name, decimal(fee, currency)]);
  return {
    net,
    row: {
      'Psp Reference': movement.upstreamPayment,
      'Merchant Reference': movement.payment,
      'Payment Method': movement.brand === 'mastercard' ? 'mc' : (movement.brand ?? ''),
      'Creation Date': dateTime(at),
      Type: types[movement.kind],
      'Modification Reference': movement.upstreamId,
      'Gross Currency': currency,
      ...sided('Gross', 'GC', gross, currency),
      'Exchange Rate': '1',
      ...sided('Net', 'NC', net, currency),
      ...Object.fromEntries(written),
      'Modification Merchant Reference': movement.refund ?? '',
    },
  };
}

/** A row about the batch itself. */
const ofBatch = (batch: Batch, type: string, reference: string, net: number): Row => ({
  'Creation Date': dateTime(batch.closedAt),
  Type: type,
  'Modification Reference': reference,
  ...sided('Net', 'NC', net, batch.currency),
});

function rowsOf(batch: Batch): Row[] {
  const { movements, currency, number, merchantAccount } = batch;
  const lines = movements.map(movementRow);
  const fee = eachFee * movements.length;
  const chargebacks = movements.filter(({ kind }) => kind === 'chargeback').length;
  const disputed = chargebackFee * chargebacks;
  const net = sum(lines.map((one) => one.net)) - fee - disputed;
  const all = [
    ...lines.map(({ row }) => row),
    ofBatch(batch, 'Fee', `Transaction Fees ${dateTime(batch.closedAt).slice(0, 7)}`, -fee),
    ...(disputed === 0 ? [] : [ofBatch(batch, 'Fee', 'Chargeback Fees', -disputed)]),
    ofBatch(batch, 'MerchantPayout', `TX${merchantAccount}${number}XT batch ${number}`, -net),
  ];
  return all.map((row) => ({
    ...row,
    'Company Account': 'Sandbox',
    'Merchant Account': merchantAccount,
    TimeZone: 'UTC',
    'Net Currency': currency,
    'Batch Number': String(number),
  }));
}

/** The settlements of processor_a, with the Settlement details report. */
export const settlementA: NonNullable<Simulator['settlement']> = {
  movements: movementsA,
  report(batches) {
    const rows = batches.flatMap(rowsOf).map((row) => columns.map((name) => field(row[name] ?? '')));
    return {
      name: `settlement_detail_report_batch_${batches.map(({ number }) => number).join('_')}.csv`,
      content: [columns, ...rows].map(line).join(''),
    };
  },
};
