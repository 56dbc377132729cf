import { Activity } from 'lucide-react';
import { type Answer, useCall } from '../../../api/calls.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import type { Filter } from '../../../components/filters/filter-bar.tsx';
import { dateFilters, FilteredTable, useListQuery } from '../../../components/filters/filtered-table.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { ObjectLink } from '../../../components/values/object-link.tsx';
import { Time } from '../../../components/values/time.tsx';
import { useUrlQuery } from '../../../navigation/navigation.tsx';
import { useFilterChoices } from '../use-filter-choices.ts';
import { EventDrawer } from './event-drawer.tsx';

type EventLine = Answer<'listEventLines'>['data'][number];

const pollIntervalMs = 5000;

/** The log of events. */
export function EventsPage() {
  const url = useUrlQuery();
  const filters = useEventFilters();
  const query = useListQuery<'listEventLines'>(filters);
  const events = useCall('listEventLines', { query }, { every: pollIntervalMs, keep: true });
  return (
    <>
      <PageHeader
        title="Events"
        description="Everything that happened to payments, refunds and disputes, as it was at that moment. Webhooks carry the same."
      />
      <FilteredTable
        label="Events"
        views="events"
        one="event"
        filters={filters}
        list={events}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => url.set({ open: id })}
        empty={
          <EmptyState icon={Activity} title="No events yet">
            Everything that happens to payments, refunds and disputes is written here. Charge a test card to
            see the first.
          </EmptyState>
        }
      />
      <EventDrawer id={url.get('open')} onClose={() => url.set({ open: undefined })} />
    </>
  );
}

function useEventFilters(): readonly Filter[] {
  const { event_types: types } = useFilterChoices();
  return [
    { key: 'type', label: 'Type', kind: 'choice', choices: types },
    {
      key: 'search',
      label: 'Id',
      kind: 'text',
      hint: 'Of an event, or of the payment, refund or dispute that it is about.',
    },
    ...dateFilters,
  ];
}

const columns: readonly Column<EventLine>[] = [
  {
    id: 'type',
    title: 'Type',
    main: true,
    cell: ({ type }) => <code className="font-mono text-sm wrap-break-word">{type}</code>,
  },
  { id: 'object', title: 'About', card: 'line', cell: ({ object_id }) => <ObjectLink id={object_id} /> },
  { id: 'sequence', title: 'Sequence', align: 'end', card: 'titled', cell: ({ sequence }) => sequence },
  {
    id: 'time',
    title: 'Time',
    card: 'end',
    cell: ({ created_at }) => <Time at={created_at} className="whitespace-nowrap" />,
  },
  {
    id: 'id',
    title: 'Event id',
    cell: ({ id }) => <code className="font-mono text-sm text-text-2">{id}</code>,
  },
];
