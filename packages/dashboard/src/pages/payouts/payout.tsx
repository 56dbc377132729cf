import { Landmark, TriangleAlert } from 'lucide-react';
import { useCall } from '../../api/calls.ts';
import { ApiError } from '../../api/client.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/inputs.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { CopyId } from '../../components/values/copy-button.tsx';
import { KeyValue, None } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { Time } from '../../components/values/time.tsx';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { countText } from '../../lib/wording/plural.ts';
import { Link, useParam, usePaths, useUrlQuery } from '../../navigation/navigation.tsx';
import { Day } from './payouts.tsx';
import { lineWords, type PayoutDetail, type PayoutLine, unmatchedWords } from './words.ts';

const perPage = 50;

const choices = [
  { value: 'all', label: 'All lines' },
  { value: 'unmatched', label: 'Lines that do not match' },
];

const shownIn = (url: ReturnType<typeof useUrlQuery>) =>
  url.get('lines') === 'unmatched' ? 'unmatched' : 'all';

/** One payout: its sums, and the payments, refunds, disputes and fees that it contains. */
export function PayoutPage() {
  const paths = usePaths();
  const id = useParam('id');
  const url = useUrlQuery();
  const { page } = useTableQuery();
  const lines = shownIn(url);
  const query = { page, per_page: perPage, lines } as const;
  const { data, error, refetch, isPlaceholderData } = useCall(
    'retrievePayout',
    { params: { id }, query },
    { keep: true },
  );
  if (data === undefined) {
    const unknown = error instanceof ApiError && error.status === 404;
    return (
      <>
        <PageHeader title="Payout" crumbs={[{ label: 'Payouts', to: paths.payouts }]} />
        <Card>
          {error === null ? (
            <SkeletonLines of="the payout" lines={6} />
          ) : (
            <ErrorState
              error={error}
              {...(unknown ? { title: 'There is no such payout here' } : { onRetry: () => void refetch() })}
            />
          )}
        </Card>
      </>
    );
  }
  return (
    <>
      <Head detail={data} />
      <Lines detail={data} isStale={isPlaceholderData} />
    </>
  );
}

/** The lines of a payout, or only those that do not match. */
function Lines({ detail, isStale }: { readonly detail: PayoutDetail; readonly isStale: boolean }) {
  const url = useUrlQuery();
  const { page, onPage } = useTableQuery();
  const shown = shownIn(url);
  return (
    <DataTable
      label="Lines"
      columns={columns}
      rows={detail.lines.data}
      rowKey={({ line }) => line.id}
      stale={isStale}
      toolbar={
        <Field label="Show" className="w-64 max-w-full">
          <Select
            choices={choices}
            value={shown}
            onChange={({ target }) =>
              url.set({ lines: target.value === 'all' ? undefined : target.value, page: undefined })
            }
          />
        </Field>
      }
      empty={<EmptyState icon={Landmark} title={shown === 'all' ? 'No lines' : 'Every line matches'} />}
      page={{ page, perPage, total: detail.lines.total_count, onPage }}
    />
  );
}

function Head({ detail }: { readonly detail: PayoutDetail }) {
  const paths = usePaths();
  const { payout, reference, merchant_account: account, corrections } = detail;
  const { currency, unmatched_count: unmatched } = payout;
  return (
    <>
      <PageHeader
        title={`Payout of ${formatMoney(payout.net, currency, language())}`}
        crumbs={[{ label: 'Payouts', to: paths.payouts }]}
        description={<CopyId id={payout.id} what="payout id" />}
      />
      <div className="mb-4 flex flex-col gap-4">
        {unmatched > 0 && (
          <Notice
            tone="warn"
            icon={TriangleAlert}
            title={`${countText(unmatched)} ${unmatched === 1 ? 'line does' : 'lines do'} not match`}
          >
            <p>Each says why. What nothing here knows may have been charged by another system.</p>
          </Notice>
        )}
        <Card>
          <KeyValue
            pairs={[
              { key: 'Gross', value: <Money amount={payout.gross} currency={currency} /> },
              { key: 'Fees', value: <Money amount={payout.fees} currency={currency} /> },
              { key: 'Paid out', value: <Money amount={payout.net} currency={currency} /> },
              { key: 'Date', value: <Day date={payout.arrival_date} /> },
              { key: 'Merchant account', value: account },
              { key: 'Batch or time', value: reference },
              {
                key: 'Corrections',
                value: corrections === 0 ? undefined : `${countText(corrections)}, by later reports`,
              },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

/** The object that a line refers to, with a link to it. */
function About({ line }: { readonly line: PayoutLine['line'] }) {
  const paths = usePaths();
  if (line.dispute !== null) return <Link to={paths.dispute(line.dispute)}>Dispute</Link>;
  if (line.payment !== null) {
    return (
      <Link to={paths.payment(line.payment)}>{line.refund === null ? 'Payment' : 'Refunded payment'}</Link>
    );
  }
  return <code className="font-mono text-sm [overflow-wrap:anywhere]">{line.upstream_reference}</code>;
}

const columns: readonly Column<PayoutLine>[] = [
  {
    id: 'net',
    title: 'Net',
    main: true,
    align: 'end',
    cell: ({ line }) => <Money amount={line.net} currency={line.currency} />,
  },
  { id: 'type', title: 'Movement', card: 'status', cell: ({ line }) => lineWords[line.type] },
  { id: 'about', title: 'Of', card: 'line', cell: ({ line }) => <About line={line} /> },
  {
    id: 'gross',
    title: 'Gross',
    align: 'end',
    cell: ({ line }) => <Money amount={line.gross} currency={line.currency} />,
  },
  {
    id: 'fee',
    title: 'Fee',
    align: 'end',
    cell: ({ line }) => <Money amount={line.fee} currency={line.currency} />,
  },
  { id: 'at', title: 'Date', card: 'end', cell: ({ at }) => <Time at={at} className="whitespace-nowrap" /> },
  {
    id: 'unmatched',
    title: 'Does not match',
    card: 'line',
    isEmpty: ({ unmatched }) => unmatched === null,
    cell: ({ unmatched }) =>
      unmatched === null ? <None /> : <span className="text-bad">{unmatchedWords[unmatched]}</span>,
  },
];
