import { Activity } from 'lucide-react';
import { type Answer, type Query, useCall } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Filter, FilterBar, useFilters } from '../../components/filter-bar.tsx';
import { useUrlQuery } from '../../components/navigation.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useTableQuery } from '../../components/table-query.ts';
import { Time } from '../../components/time.tsx';
import { isoOfDay } from '../../lib/time.ts';
import { CappedNote } from './capped-note.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { ObjectLink } from './object-link.tsx';
import { useFilterChoices } from './use-filter-choices.ts';

type EventLine = Answer<'listEventLines'>['data'][number];

const perPage = 50;
const lookEveryMs = 5000;

/** The log of what happened. */
export function EventsPage() {
  const url = useUrlQuery();
  const { page, onPage } = useTableQuery();
  const filters = useEventFilters();
  const { values, any, clear } = useFilters(filters);
  const { from, to, ...rest } = values;
  const query = {
    ...rest,
    page,
    per_page: perPage,
    ...(from === undefined ? {} : { from: isoOfDay(from) }),
    ...(to === undefined ? {} : { to: isoOfDay(to, 1) }),
  } as Query<'listEventLines'>;
  const events = useCall('listEventLines', { query }, { every: lookEveryMs, keep: true });
  return (
    <>
      <PageHeader
        title="Events"
        description="Everything that happened to payments, refunds and disputes, as it was at that moment. Webhooks carry the same."
      />
      <DataTable
        label="Events"
        columns={columns}
        rows={events.data?.data}
        rowKey={({ id }) => id}
        onOpen={({ id }) => url.set({ open: id })}
        stale={events.isPlaceholderData}
        error={events.error}
        onRetry={() => void events.refetch()}
        toolbar={<FilterBar name="events" filters={filters} />}
        page={{ page, perPage, total: events.data?.total_count ?? 0, onPage }}
        empty={
          any ? (
            <EmptyState title="No event matches" actions={<Button onClick={clear}>Clear filters</Button>} />
          ) : (
            <EmptyState icon={Activity} title="No events yet">
              Everything that happens to payments, refunds and disputes is written here. Charge a test card to
              see the first.
            </EmptyState>
          )
        }
      />
      <CappedNote capped={events.data?.capped === true} />
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
    { key: 'from', label: 'From', kind: 'date' },
    { key: 'to', label: 'To', kind: 'date', hint: 'This day included.' },
  ];
}

const columns: readonly Column<EventLine>[] = [
  {
    id: 'type',
    title: 'Type',
    main: true,
    cell: ({ type }) => <code className="font-mono text-sm whitespace-nowrap">{type}</code>,
  },
  { id: 'object', title: 'About', cell: ({ object_id }) => <ObjectLink id={object_id} /> },
  { id: 'sequence', title: 'Number', align: 'end', cell: ({ sequence }) => sequence },
  {
    id: 'time',
    title: 'Time',
    cell: ({ created_at }) => <Time at={created_at} className="whitespace-nowrap" />,
  },
  {
    id: 'id',
    title: 'Event id',
    cell: ({ id }) => <code className="font-mono text-sm text-text-2">{id}</code>,
  },
];
