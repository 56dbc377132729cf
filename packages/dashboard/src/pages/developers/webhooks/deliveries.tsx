import { Send } from 'lucide-react';
import { useCall } from '../../../api/calls.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import type { Filter } from '../../../components/filters/filter-bar.tsx';
import { dateFilters, FilteredTable, useListQuery } from '../../../components/filters/filtered-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { None } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { NextTime } from '../../../components/values/time-left.tsx';
import { useUrlQuery } from '../../../navigation/navigation.tsx';
import { HttpStatus } from '../http-status.tsx';
import { useFilterChoices } from '../use-filter-choices.ts';
import { millisecondWords } from '../words.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type Delivery, DeliveryState, ModeBadge } from './delivery-state.tsx';
import type { Endpoint } from './endpoint-state.tsx';

const pollIntervalMs = 3000;

/** The deliveries of an endpoint. Choosing one shows its attempts. */
export function Deliveries({ endpoint }: { readonly endpoint: Endpoint }) {
  const url = useUrlQuery();
  const filters = useDeliveryFilters();
  const query = useListQuery<'listDeliveries'>(filters);
  const params = { id: endpoint.id };
  const deliveries = useCall('listDeliveries', { params, query }, { every: pollIntervalMs, keep: true });
  return (
    <div>
      <h2 className="mb-2 text-lg font-semibold">Deliveries</h2>
      <FilteredTable
        label="Deliveries"
        name="deliveries"
        views="deliveries"
        one="delivery"
        filters={filters}
        list={deliveries}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => url.set({ open: id })}
        empty={
          <EmptyState icon={Send} title="Nothing was sent yet">
            Events that happen from now on appear here. Send a test event to try your receiver.
          </EmptyState>
        }
      />
      <DeliveryDrawer endpoint={endpoint} id={url.get('open')} onClose={() => url.set({ open: undefined })} />
    </div>
  );
}

function useDeliveryFilters(): readonly Filter[] {
  const { event_types: types } = useFilterChoices();
  return [
    {
      key: 'state',
      label: 'Status',
      kind: 'choice',
      choices: [
        { value: 'pending', label: 'Waiting' },
        { value: 'succeeded', label: 'Delivered' },
        { value: 'failed', label: 'Failed' },
        { value: 'parked', label: 'Set aside' },
      ],
    },
    { key: 'type', label: 'Event', kind: 'choice', choices: types },
    {
      key: 'mode',
      label: 'Mode',
      kind: 'choice',
      choices: [
        { value: 'sandbox', label: 'Sandbox' },
        { value: 'live', label: 'Live' },
      ],
    },
    { key: 'payment', label: 'Payment', kind: 'text', hint: 'Its id: pay_…' },
    ...dateFilters,
  ];
}

const columns: readonly Column<Delivery>[] = [
  {
    id: 'time',
    title: 'Event time',
    main: true,
    cell: ({ created_at }) => <Time at={created_at} className="whitespace-nowrap" />,
  },
  {
    id: 'event',
    card: 'line',
    title: 'Event',
    cell: ({ event_type }) => <code className="font-mono text-sm whitespace-nowrap">{event_type}</code>,
  },
  { id: 'mode', title: 'Mode', card: 'aside', cell: ({ livemode }) => <ModeBadge livemode={livemode} /> },
  { id: 'state', title: 'Status', card: 'status', cell: (delivery) => <DeliveryState delivery={delivery} /> },
  {
    id: 'answer',
    title: 'Last answer',
    card: 'end',
    isEmpty: ({ last_attempt }) => last_attempt === null,
    cell: ({ last_attempt: last }) =>
      last === null ? (
        <None />
      ) : last.answer_status === null ? (
        <span className="block max-w-56 text-sm text-bad">{last.error}</span>
      ) : (
        <HttpStatus status={last.answer_status} />
      ),
  },
  {
    id: 'took',
    title: 'Took',
    align: 'end',
    cell: ({ last_attempt: last }) =>
      last === null ? (
        <None />
      ) : (
        <span className="whitespace-nowrap">{millisecondWords(last.duration_ms)}</span>
      ),
  },
  { id: 'attempts', title: 'Attempts', align: 'end', card: 'titled', cell: ({ attempts }) => attempts },
  {
    id: 'next',
    title: 'Next attempt',
    card: 'titled',
    isEmpty: ({ state }) => state !== 'pending',
    cell: ({ state, next_attempt_at: next }) =>
      state !== 'pending' ? <None /> : next === null ? 'Now' : <NextTime at={next} />,
  },
];
