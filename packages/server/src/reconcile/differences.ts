/** A payment as our records have it. Amounts in minor units. */
export interface RecordedPayment {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  /** Whether an operation on it is in flight, or its outcome is still unknown. */
  readonly open: boolean;
  /** Whether its hold has lapsed. The processor's ledger may still show it as authorized. */
  readonly lapsed: boolean;
}

/** A refund as our records have it. Amount in minor units. */
export interface RecordedRefund {
  readonly id: string;
  readonly payment_id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
}

/** The charges and refunds in the processor's ledger: what it really did. Amounts in minor units. */
export interface LedgerEntries {
  readonly charges: readonly {
    readonly reference: string;
    readonly amount: number;
    readonly currency: string;
    readonly status: string;
  }[];
  readonly refunds: readonly {
    readonly reference: string;
    readonly payment_reference: string;
    readonly amount: number;
    readonly currency: string;
    readonly status: string;
  }[];
}

export type DifferenceKind =
  | 'charge_without_payment'
  | 'charged_twice'
  | 'charged_not_succeeded'
  | 'succeeded_not_charged'
  | 'held_not_authorized'
  | 'authorized_not_held'
  | 'amount_differs'
  | 'refund_without_record'
  | 'refunded_twice'
  | 'refunded_not_recorded'
  | 'recorded_not_refunded'
  | 'refund_amount_differs'
  | 'refund_of_another_payment'
  | 'refunded_more_than_paid';

/** One difference between our records and a processor's ledger. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Our id of the payment or refund, or the ledger's reference if we have no such record. */
  readonly reference: string;
  /** Status and amount in our records, as text. */
  readonly ours: string;
  /** The entries in the ledger, as text. */
  readonly theirs: string;
}

const nothing = 'nothing';

type Charge = LedgerEntries['charges'][number];
type Refund = LedgerEntries['refunds'][number];

const chargeText = (charge: Charge) => `${charge.status} ${charge.amount} ${charge.currency}`;
const refundText = ({ status, amount, currency, payment_reference: payment }: Refund) =>
  `${status} ${amount} ${currency} of ${payment}`;
const listed = (texts: readonly string[]) => (texts.length === 0 ? nothing : texts.join(', '));

/** Whether a charge moved or holds money. Cancelled and voided charges do neither. */
const isMoney = ({ status }: { status: string }) => status === 'captured' || status === 'authorized';

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

function paymentKind(payment: RecordedPayment, made: readonly Charge[]): DifferenceKind | undefined {
  const money = made.filter(isMoney);
  if (money.length > 1) return 'charged_twice';
  const [charge] = money;
  const is = charge?.status;
  if (is === 'captured' && payment.status !== 'succeeded') return 'charged_not_succeeded';
  if (payment.status === 'succeeded' && is !== 'captured') return 'succeeded_not_charged';
  if (is === 'authorized' && payment.status !== 'authorized' && !payment.lapsed) return 'held_not_authorized';
  if (payment.status === 'authorized' && is === undefined && !payment.lapsed) return 'authorized_not_held';
  if (charge === undefined) return undefined;
  return charge.amount === payment.amount && charge.currency === payment.currency
    ? undefined
    : 'amount_differs';
}

function refundKind(refund: RecordedRefund, made: readonly Refund[]): DifferenceKind | undefined {
  const given = made.filter(({ status }) => status !== 'failed');
  if (given.length > 1) return 'refunded_twice';
  if (refund.status === 'failed' && given.length > 0) return 'refunded_not_recorded';
  if (refund.status === 'succeeded' && given[0]?.status !== 'succeeded') return 'recorded_not_refunded';
  const [one] = given;
  if (one === undefined) return undefined;
  if (one.payment_reference !== refund.payment_id) return 'refund_of_another_payment';
  return one.amount === refund.amount && one.currency === refund.currency
    ? undefined
    : 'refund_amount_differs';
}

/** Kinds that a notification which is not applied yet may still resolve. No notification can resolve the other kinds. */
const repairable: ReadonlySet<DifferenceKind> = new Set([
  'refund_without_record',
  'refunded_not_recorded',
  'recorded_not_refunded',
]);
export const isRepairable = ({ kind }: Difference): boolean => repairable.has(kind);

/**
 * Whether the payment's outcome is open. A failed payment is decided even while its cancellation is open: the merchant was
 * notified that nothing is charged.
 */
const isUndecided = ({ open, status }: RecordedPayment) => open && status !== 'failed';

function* ofPayments(
  payments: readonly RecordedPayment[],
  charges: readonly Charge[],
): Generator<Difference> {
  const made = groupBy(charges, ({ reference }) => reference);
  const known = new Set(payments.map(({ id }) => id));
  for (const [reference, stray] of made) {
    if (known.has(reference) || !stray.some(isMoney)) continue;
    yield {
      kind: 'charge_without_payment',
      reference,
      ours: nothing,
      theirs: listed(stray.map(chargeText)),
    };
  }
  for (const payment of payments) {
    const own = made.get(payment.id) ?? [];
    const kind = paymentKind(payment, own);
    if (kind === undefined || (isUndecided(payment) && kind !== 'charged_twice')) continue;
    const ours = `${payment.status} ${payment.amount} ${payment.currency}`;
    yield { kind, reference: payment.id, ours, theirs: listed(own.map(chargeText)) };
  }
}

function* ofRefunds(refunds: readonly RecordedRefund[], given: readonly Refund[]): Generator<Difference> {
  const made = groupBy(given, ({ reference }) => reference);
  const known = new Set(refunds.map(({ id }) => id));
  for (const [reference, stray] of made) {
    if (known.has(reference)) continue;
    yield { kind: 'refund_without_record', reference, ours: nothing, theirs: listed(stray.map(refundText)) };
  }
  for (const refund of refunds) {
    const own = made.get(refund.id) ?? [];
    const kind = refundKind(refund, own);
    if (kind === undefined) continue;
    const ours = `${refund.status} ${refund.amount} ${refund.currency} of ${refund.payment_id}`;
    yield { kind, reference: refund.id, ours, theirs: listed(own.map(refundText)) };
  }
}

function* overdrawn(payments: readonly RecordedPayment[], given: readonly Refund[]): Generator<Difference> {
  const back = groupBy(
    given.filter(({ status }) => status !== 'failed'),
    ({ payment_reference: payment }) => payment,
  );
  for (const { id, amount, currency } of payments) {
    const sum = (back.get(id) ?? []).reduce((total, refund) => total + refund.amount, 0);
    if (sum <= amount) continue;
    yield {
      kind: 'refunded_more_than_paid',
      reference: id,
      ours: `${amount} ${currency}`,
      theirs: `${sum} given back`,
    };
  }
}

/**
 * Compares the records of one tenant with its processor's ledger. Skips payments with an open operation, because their outcome is
 * not known yet (docs/architecture.md, "How a payment travels"), except failed payments and payments that are charged twice.
 */
export function compareRecords(
  records: { readonly payments: readonly RecordedPayment[]; readonly refunds: readonly RecordedRefund[] },
  ledger: LedgerEntries,
): Difference[] {
  return [
    ...ofPayments(records.payments, ledger.charges),
    ...ofRefunds(records.refunds, ledger.refunds),
    ...overdrawn(records.payments, ledger.refunds),
  ];
}
