import { Card } from '../../../components/layout/card.tsx';
import { DataTable, FlushTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { None } from '../../../components/values/key-value.tsx';
import { Money } from '../../../components/values/money.tsx';
import { Status } from '../../../components/values/status.tsx';
import { Time } from '../../../components/values/time.tsx';
import { disputeReason } from '../../../lib/wording/dispute-words.ts';
import { refundReason } from '../../../lib/wording/refund-words.ts';
import { usePaths } from '../../../navigation/navigation.tsx';
import { withQuery } from '../../../navigation/paths.ts';
import type { Detail } from './detail.ts';

type Refund = Detail['refunds'][number];
type Dispute = Detail['disputes'][number];

const refundColumns: readonly Column<Refund>[] = [
  {
    id: 'amount',
    title: 'Amount',
    main: true,
    align: 'end',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ status }) => <Status kind="refund" status={status} />,
  },
  {
    id: 'reason',
    title: 'Reason',
    card: 'line',
    isEmpty: ({ reason }) => reason === null,
    cell: ({ reason }) => (reason === null ? <None /> : refundReason(reason)),
  },
  {
    id: 'created',
    title: 'Created',
    card: 'end',
    cell: ({ created }) => <Time at={created} className="whitespace-nowrap" />,
  },
];

/** The refunds of a payment. Renders nothing without any. */
export function RefundsCard({ detail: { refunds } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (refunds.length === 0) return null;
  return (
    <Card title="Refunds" flush>
      <FlushTable>
        <DataTable
          label="Refunds of this payment"
          columns={refundColumns}
          rows={refunds}
          rowKey={({ id }) => id}
          rowTo={({ id, payment }) => withQuery(paths.refunds, { search: payment, refund: id })}
          empty={null}
        />
      </FlushTable>
    </Card>
  );
}

/** The columns of a list of disputes. */
export const disputeColumns: readonly Column<Dispute>[] = [
  {
    id: 'amount',
    title: 'Amount',
    main: true,
    align: 'end',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ status }) => <Status kind="dispute" status={status} />,
  },
  { id: 'reason', title: 'Reason', card: 'line', cell: ({ reason }) => disputeReason(reason).word },
  {
    id: 'respond_by',
    title: 'Answer by',
    card: 'titled',
    isEmpty: ({ respond_by: by }) => by === null,
    cell: ({ respond_by: by }) => (by === null ? <None /> : <Time at={by} className="whitespace-nowrap" />),
  },
];

/** The disputes of a payment. Renders nothing without any. */
export function DisputesCard({ detail: { disputes } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (disputes.length === 0) return null;
  return (
    <Card title="Disputes" flush>
      <FlushTable>
        <DataTable
          label="Disputes of this payment"
          columns={disputeColumns}
          rows={disputes}
          rowKey={({ id }) => id}
          rowTo={({ id }) => paths.dispute(id)}
          empty={null}
        />
      </FlushTable>
    </Card>
  );
}
