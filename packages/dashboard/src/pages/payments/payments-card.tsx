import { useCall } from '../../api/calls.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Card } from '../../components/layout/card.tsx';
import { DataTable, FlushTable } from '../../components/tables/data-table.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { withQuery } from '../../navigation/paths.ts';
import { paymentColumns } from './columns.tsx';

interface Props {
  /** The filter of the payments page that selects these payments. */
  readonly of: { readonly customer: string } | { readonly payment_link: string };
  /** The table's accessible name. */
  readonly label: string;
  /** The text that is shown if there is no payment. */
  readonly empty: string;
}

const shownPayments = 10;
const columns = paymentColumns(false).filter(({ id }) =>
  ['amount', 'status', 'reference', 'created'].includes(id),
);

/** The newest payments of a customer or a payment link, with a link to all of them. */
export function PaymentsCard({ of, label, empty }: Props) {
  const paths = usePaths();
  const { data, error, refetch } = useCall('listPayments', { query: { ...of, per_page: shownPayments } });
  return (
    <Card
      title="Payments"
      flush
      actions={
        data?.has_more === true && (
          <Link to={withQuery(paths.payments, of)}>
            All {data.total_is_exact ? data.total_count : ''} payments
          </Link>
        )
      }
    >
      <FlushTable>
        <DataTable
          label={label}
          columns={columns}
          rows={data?.data}
          rowKey={({ payment }) => payment.id}
          rowTo={({ payment }) => paths.payment(payment.id)}
          error={error}
          onRetry={() => void refetch()}
          empty={<EmptyState title={empty} className="py-6" />}
        />
      </FlushTable>
    </Card>
  );
}
