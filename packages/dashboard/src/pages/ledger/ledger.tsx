import { BookOpenText, Download } from 'lucide-react';
import { type Answer, addressOf, useCall } from '../../api/calls.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useAccountNow } from '../../components/values/account-clock.tsx';
import { Money } from '../../components/values/money.tsx';
import { countText } from '../../lib/wording/plural.ts';
import { Link, useParam, usePaths, useUrlQuery } from '../../navigation/navigation.tsx';

type Sum = Answer<'retrieveLedger'>['sums'][number];

const words: Readonly<Record<Sum['type'], string>> = {
  payment: 'Payments',
  capture: 'Captures of holds',
  refund: 'Refunds',
  refund_reversed: 'Refunds taken back',
  chargeback: 'Chargebacks',
  chargeback_reversed: 'Chargebacks given back',
  reversal: 'Reversals',
};

const isMonth = (text: string) => /^20\d{2}-(0[1-9]|1[0-2])$/.test(text);

/** The sums of a month, and the file with the lines that add up to them. */
export function LedgerPage() {
  const url = useUrlQuery();
  const paths = usePaths();
  const account = useParam('account');
  const present = new Date(useAccountNow(60_000)).toISOString().slice(0, 7);
  const month = isMonth(url.get('month')) ? url.get('month') : present;
  const ledger = useCall('retrieveLedger', { query: { month } }, { keep: true });
  const zone = ledger.data?.time_zone;
  return (
    <>
      <PageHeader
        title="Ledger"
        description={
          <>
            All movements of money of a month, by the day on which they happened
            {zone !== undefined && (
              <>
                {' '}
                in the time zone of the account, <b className="font-medium">{zone}</b>
              </>
            )}
            . <Link to={paths.settings('business')}>Change the time zone</Link>
          </>
        }
        actions={
          <a
            href={addressOf('exportLedger', { params: { account }, query: { month } })}
            download=""
            className="inline-flex min-h-9 items-center gap-2 rounded-md bg-accent-solid px-3 font-medium text-white"
          >
            <Download aria-hidden="true" className="size-4" />
            Export CSV
          </a>
        }
      />
      <div className="mb-4 max-w-56">
        <Field label="Month">
          <TextInput
            type="month"
            value={month}
            onChange={({ target }) => isMonth(target.value) && url.set({ month: target.value })}
          />
        </Field>
      </div>
      <DataTable
        label="Sums of the month"
        columns={columns}
        rows={ledger.data?.sums}
        rowKey={({ currency, type }) => `${currency} ${type}`}
        stale={ledger.isPlaceholderData}
        error={ledger.error}
        onRetry={() => void ledger.refetch()}
        empty={<EmptyState icon={BookOpenText} title="No money moved in this month" />}
      />
    </>
  );
}

const columns: readonly Column<Sum>[] = [
  { id: 'type', title: 'Movement', main: true, cell: ({ type }) => words[type] },
  { id: 'currency', title: 'Currency', cell: ({ currency }) => currency },
  { id: 'count', title: 'Number', align: 'end', card: 'titled', cell: ({ count }) => countText(count) },
  {
    id: 'amount',
    title: 'Sum',
    align: 'end',
    card: 'end',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];
