import { useCall } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { type Filter, FilterBar, useFilters } from '../../components/filters/filter-bar.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { None } from '../../components/values/key-value.tsx';
import type { Trigger } from './state.ts';

const filters: readonly Filter[] = [
  { key: 'q', label: 'Words', kind: 'text', hint: 'A number, a name, an outcome or a failure code.' },
  {
    key: 'field',
    label: 'Field',
    kind: 'choice',
    choices: [
      { value: 'payment_method.number', label: 'Card number' },
      { value: 'payment_method.holder_name', label: "Holder's name" },
      { value: 'payment_method.cvc', label: 'Security code' },
      { value: 'billing_address.line1', label: 'Address' },
      { value: 'description', label: 'Description' },
      { value: 'note', label: "Refund's note" },
    ],
  },
];

const perPage = 50;

/** The test cards and triggers of the account's processor, with buttons to copy and to use them. */
export function TriggerTable({ onUse }: { readonly onUse: (trigger: Trigger) => void }) {
  const { values, any, clear } = useFilters(filters);
  const { page, onPage } = useTableQuery();
  const list = useCall('listTriggers', { query: { page, per_page: perPage, ...values } }, { keep: true });
  return (
    <section aria-labelledby="triggers">
      <h2 id="triggers" className="text-lg font-semibold">
        Test cards and triggers
      </h2>
      <p className="mb-2 max-w-prose text-sm text-text-2">
        What to send, exactly as it is written, and what then happens. Any expiry date in the future and any
        security code work.
      </p>
      <DataTable
        label="Triggers"
        columns={columnsWith(onUse)}
        rows={list.data?.data}
        rowKey={({ field, value }) => `${field} ${value}`}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        toolbar={<FilterBar name="triggers" filters={filters} />}
        empty={
          <EmptyState
            title="No match"
            actions={any ? <Button onClick={clear}>Clear filters</Button> : undefined}
          >
            No trigger has these words.
          </EmptyState>
        }
        page={{ page, perPage, total: list.data?.total_count ?? 0, onPage }}
      />
    </section>
  );
}

const columnsWith = (onUse: (trigger: Trigger) => void): readonly Column<Trigger>[] => [
  {
    id: 'value',
    title: 'Value',
    main: true,
    cell: ({ value }) => (
      <span className="inline-flex items-center gap-0.5">
        <code className="font-mono text-sm">{value}</code>
        <CopyButton text={value} what={value} />
      </span>
    ),
  },
  {
    id: 'field',
    title: 'Field',
    card: 'titled',
    cell: ({ field }) => <code className="font-mono text-sm text-text-2">{field}</code>,
  },
  {
    id: 'outcome',
    title: 'What happens',
    card: 'line',
    className: 'min-w-64 max-w-md',
    cell: ({ outcome }) => outcome,
  },
  {
    id: 'failure',
    title: 'Failure code',
    card: 'titled',
    isEmpty: ({ failure_code: code }) => code === null,
    cell: ({ failure_code: code }) =>
      code === null ? <None /> : <code className="font-mono text-sm">{code}</code>,
  },
  {
    id: 'use',
    title: 'Use',
    quiet: true,
    card: 'end',
    align: 'end',
    cell: (trigger) =>
      trigger.on_payment ? (
        <Button size="sm" onClick={() => onUse(trigger)}>
          Use
          <span className="sr-only">
            {' '}
            {trigger.value} as {trigger.field}
          </span>
        </Button>
      ) : (
        <span className="text-sm text-text-3">For refunds</span>
      ),
  },
];
