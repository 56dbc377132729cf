import { Card } from '../../../components/layout/card.tsx';
import { DataTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { Money } from '../../../components/values/money.tsx';
import type { Detail } from './detail.ts';

type Item = Detail['order']['line_items'][number];
type Numbered = { readonly item: Item; readonly index: number };

const amountLabels = [
  ['tax_amount', 'Tax'],
  ['shipping_amount', 'Shipping'],
  ['handling_amount', 'Handling'],
  ['discount_amount', 'Discount'],
  ['duty_amount', 'Duty'],
] as const;

const columnsIn = (currency: string): readonly Column<Numbered>[] => [
  {
    id: 'name',
    title: 'Item',
    main: true,
    cell: ({ item }) => (
      <span className="block min-w-32">
        <span className="font-medium [overflow-wrap:anywhere]">{item.name}</span>
        {item.sku !== undefined && (
          <span className="block text-sm text-text-3 [overflow-wrap:anywhere]">{item.sku}</span>
        )}
      </span>
    ),
  },
  { id: 'quantity', title: 'Quantity', align: 'end', card: 'titled', cell: ({ item }) => item.quantity ?? 1 },
  {
    id: 'unit',
    title: 'Each',
    card: 'titled',
    align: 'end',
    cell: ({ item }) => <Money amount={item.unit_amount} currency={currency} />,
  },
  {
    id: 'total',
    title: 'Total',
    card: 'end',
    align: 'end',
    cell: ({ item }) => <Money amount={item.unit_amount * (item.quantity ?? 1)} currency={currency} />,
  },
];

/** The order as the merchant sent it. Renders nothing if there is none. */
export function OrderCard({ detail: { payment, order, processing } }: { readonly detail: Detail }) {
  const { currency } = payment;
  const sums = amountLabels.flatMap(([key, name]) => {
    const amount = order[key];
    return amount === undefined ? [] : [{ key: name, value: <Money amount={amount} currency={currency} /> }];
  });
  const words = [
    { key: 'Description', value: order.description },
    { key: 'Invoice', value: order.invoice_id },
    { key: 'Ships from', value: order.ships_from_postal_code },
    { key: 'Statement text', value: payment.shopper_statement ?? undefined },
    { key: 'Renews', value: payment.renews_payment ?? undefined },
  ].filter(({ value }) => value !== undefined);
  if (order.line_items.length + sums.length + words.length === 0) return null;
  return (
    <Card
      title="Order"
      description={processing.merchant_initiated ? 'Charged without the buyer.' : undefined}
    >
      {order.line_items.length > 0 && (
        <div className="mb-4">
          <DataTable
            label="Line items"
            columns={columnsIn(currency)}
            rows={order.line_items.map((item, index) => ({ item, index }))}
            rowKey={({ index }) => String(index)}
            empty={null}
          />
        </div>
      )}
      <KeyValue pairs={[...sums, ...words]} />
    </Card>
  );
}
