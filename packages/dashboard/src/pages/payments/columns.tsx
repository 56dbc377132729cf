import type { Answer } from '../../api/calls.ts';
import type { Column } from '../../components/tables/table-props.ts';
import { Badge } from '../../components/values/badge.tsx';
import { None } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { PaidWith } from '../../components/values/paid-with.tsx';
import { PaymentStatus } from '../../components/values/payment-status.tsx';
import { Time } from '../../components/values/time.tsx';
import { failureText } from '../../lib/wording/failure-texts.ts';

export type ListedPayment = Answer<'listPayments'>['data'][number];

/** A label for the refunded share; undefined if nothing was refunded. */
function refundedWords({ payment, refunded_amount: refunded }: ListedPayment): string | undefined {
  if (refunded === 0) return undefined;
  return refunded >= payment.amount ? 'Refunded' : 'Partly refunded';
}

/** The status of a payment, with its refunds and disputes. */
function State({ item }: { readonly item: ListedPayment }) {
  const { payment, disputed } = item;
  const refunded = refundedWords(item);
  return (
    <span className="inline-flex flex-wrap items-center gap-1 align-middle">
      <PaymentStatus status={payment.status} failure={payment.failure} />
      {refunded !== undefined && <Badge>{refunded}</Badge>}
      {item.refund_failed && <Badge tone="bad">Refund failed</Badge>}
      {disputed && <Badge tone="bad">Disputed</Badge>}
    </span>
  );
}

export function Customer({ customer }: { readonly customer: ListedPayment['customer'] }) {
  if (customer === null) return <None />;
  return (
    <span className="block truncate" title={customer.email}>
      {customer.name ?? customer.email}
    </span>
  );
}

/**
 * The columns of the list.
 * @param oneCurrency whether all amounts are in one currency, so that the list can be sorted by amount
 */
export const paymentColumns = (oneCurrency: boolean): readonly Column<ListedPayment>[] => [
  {
    id: 'amount',
    title: 'Amount',
    main: true,
    align: 'end',
    ...(oneCurrency ? { sort: 'amount' } : {}),
    cell: ({ payment }) => <Money amount={payment.amount} currency={payment.currency} />,
  },
  { id: 'status', title: 'Status', card: 'status', cell: (item) => <State item={item} /> },
  {
    id: 'method',
    title: 'Method',
    card: 'aside',
    cell: ({ payment: { payment_method: method } }) => <PaidWith {...method} />,
  },
  {
    id: 'customer',
    title: 'Customer',
    fills: true,
    card: 'line',
    isEmpty: ({ customer }) => customer === null,
    cell: ({ customer }) => <Customer customer={customer} />,
  },
  {
    id: 'reference',
    title: 'Reference',
    fills: true,
    card: 'line',
    isEmpty: ({ payment }) => payment.reference === null,
    cell: ({ payment: { reference } }) =>
      reference === null ? (
        <None />
      ) : (
        <span dir="auto" className="block truncate text-left" title={reference}>
          {reference}
        </span>
      ),
  },
  {
    id: 'created',
    title: 'Created',
    sort: 'created',
    card: 'end',
    cell: ({ payment }) => <Time at={payment.created} className="whitespace-nowrap text-text-2" />,
  },
  {
    id: 'failure',
    title: 'Reason of failure',
    extra: true,
    cell: ({ payment: { failure } }) => (failure === null ? <None /> : failureText(failure.code).title),
  },
  {
    id: 'id',
    title: 'Id',
    extra: true,
    cell: ({ payment }) => <code className="font-mono text-sm text-text-2">{payment.id}</code>,
  },
];
