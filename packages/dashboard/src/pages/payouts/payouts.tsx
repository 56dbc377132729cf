import { Download, Landmark } from 'lucide-react';
import { useState } from 'react';
import { addressOf, useCall } from '../../api/calls.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { useAccountNow } from '../../components/values/account-clock.tsx';
import { Money } from '../../components/values/money.tsx';
import { formatDate } from '../../lib/amounts/time.ts';
import { countText } from '../../lib/wording/plural.ts';
import { useParam, usePaths } from '../../navigation/navigation.tsx';
import { BooksCard } from './books-card.tsx';
import { ImportCard } from './import-card.tsx';
import type { Payout } from './words.ts';

const perPage = 50;

const columns: readonly Column<Payout>[] = [
  {
    id: 'net',
    title: 'Paid out',
    main: true,
    align: 'end',
    cell: ({ net, currency }) => <Money amount={net} currency={currency} />,
  },
  { id: 'date', title: 'Date', card: 'end', cell: ({ arrival_date: date }) => <Day date={date} /> },
  {
    id: 'gross',
    title: 'Gross',
    align: 'end',
    cell: ({ gross, currency }) => <Money amount={gross} currency={currency} />,
  },
  {
    id: 'fees',
    title: 'Fees',
    align: 'end',
    cell: ({ fees, currency }) => <Money amount={fees} currency={currency} />,
  },
  { id: 'lines', title: 'Lines', align: 'end', cell: ({ lines_count: count }) => countText(count) },
  {
    id: 'unmatched',
    title: 'Match',
    align: 'end',
    card: 'line',
    cell: ({ unmatched_count: count }) =>
      count === 0 ? 'All match' : <b className="font-medium text-bad">{countText(count)} unmatched</b>,
  },
];

/** A day as in the processor's report, which names no time zone. */
export const Day = ({ date }: { readonly date: string }) => (
  <time dateTime={date} className="whitespace-nowrap tabular-nums">
    {formatDate(date)}
  </time>
);

/** The payouts of the processor, its settlement reports, and the accounting settings. */
export function PayoutsPage() {
  const paths = usePaths();
  const { page, onPage } = useTableQuery();
  const payouts = useCall('listPayouts', { query: { page, per_page: perPage } }, { keep: true });
  const answer = payouts.data;
  return (
    <>
      <PageHeader
        title="Payouts"
        description="Which payments, refunds and fees a payout of the processor holds, as its own reports say."
      />
      <div className="flex flex-col gap-5">
        <ImportCard />
        <DataTable
          label="Payouts"
          columns={columns}
          rows={answer?.data}
          rowKey={({ id }) => id}
          rowTo={({ id }) => paths.payout(id)}
          stale={payouts.isPlaceholderData}
          error={payouts.error}
          onRetry={() => void payouts.refetch()}
          empty={
            <EmptyState icon={Landmark} title="No payouts yet">
              Import a report of the processor: it shows here with the payments that it holds.
            </EmptyState>
          }
          page={{ page, perPage, total: answer?.total_count ?? 0, onPage }}
        />
        <ExportCard />
        <BooksCard />
      </div>
    </>
  );
}

const isMonth = (text: string) => /^20\d{2}-(0[1-9]|1[0-2])$/.test(text);

/** Downloads the accounting entries of a month's payouts. */
function ExportCard() {
  const account = useParam('account');
  const present = new Date(useAccountNow(60_000)).toISOString().slice(0, 7);
  const [chosen, setChosen] = useState<string>();
  const month = chosen ?? present;
  return (
    <Card
      title="For your books"
      description="A CSV file of a month's payouts: one line for each movement, with the account to debit and the one to credit."
    >
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Month of the payouts" className="w-56 max-w-full">
          <TextInput
            type="month"
            value={month}
            onChange={({ target }) => isMonth(target.value) && setChosen(target.value)}
          />
        </Field>
        <a
          href={addressOf('exportPayouts', { params: { account }, query: { month } })}
          download=""
          className="inline-flex min-h-9 items-center gap-2 rounded-md bg-accent-solid px-3 font-medium text-white"
        >
          <Download aria-hidden="true" className="size-4" />
          Export CSV
        </a>
      </div>
    </Card>
  );
}
