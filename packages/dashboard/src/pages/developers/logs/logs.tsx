import { ScrollText } from 'lucide-react';
import { type Answer, useCall } from '../../../api/calls.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import type { Filter } from '../../../components/filters/filter-bar.tsx';
import { dateFilters, FilteredTable, useListQuery } from '../../../components/filters/filtered-table.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { RoleGate, useAllowed } from '../../../components/layout/role-gate.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { None } from '../../../components/values/key-value.tsx';
import { useUrlQuery } from '../../../navigation/navigation.tsx';
import { HttpStatus } from '../http-status.tsx';
import { PreciseTime } from '../precise-time.tsx';
import { useFilterChoices } from '../use-filter-choices.ts';
import { millisecondWords, shortPath } from '../words.ts';
import { LogDrawer } from './log-drawer.tsx';
import { ReplayBadge } from './replay-badge.tsx';

export type RequestLine = Answer<'listRequestLogs'>['data'][number];

const pollIntervalMs = 5000;

/** The log of API requests. */
export function LogsPage() {
  const url = useUrlQuery();
  const filters = useLogFilters();
  const query = useListQuery<'listRequestLogs'>(filters);
  const requests = useCall(
    'listRequestLogs',
    { query },
    { every: pollIntervalMs, keep: true, enabled: useAllowed('listRequestLogs') },
  );
  return (
    <>
      <PageHeader
        title="Request logs"
        description="Requests with a key of this workspace and their answers, for 30 days, without card data. Under very high load some are left out; the API never waits for its log."
      />
      <RoleGate operation="listRequestLogs" what="request logs">
        <RealTimes>
          <FilteredTable
            label="Requests"
            name="logs"
            views="logs"
            one="request"
            filters={filters}
            list={requests}
            columns={columns}
            rowKey={({ id }) => id}
            onOpen={({ id }) => url.set({ open: id })}
            empty={
              <EmptyState icon={ScrollText} title="No requests yet">
                Every request with one of your keys appears here, a moment after its answer.
              </EmptyState>
            }
          />
          <LogDrawer
            id={url.get('open')}
            onOpen={(id) => url.set({ open: id })}
            onClose={() => url.set({ open: undefined })}
          />
        </RealTimes>
      </RoleGate>
    </>
  );
}

const statusChoices = [
  { value: '2xx', label: '2xx: done' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: our fault or the processor’s' },
];

const methodChoices = ['GET', 'POST', 'PATCH', 'DELETE'].map((value) => ({ value, label: value }));

function useLogFilters(): readonly Filter[] {
  const { routes, codes } = useFilterChoices();
  const keys =
    useCall('listApiKeys', { query: { per_page: 100 } }, { enabled: useAllowed('listApiKeys') }).data?.data ??
    [];
  return [
    { key: 'status', label: 'Status', kind: 'choice', choices: statusChoices },
    { key: 'method', label: 'Method', kind: 'choice', choices: methodChoices },
    { key: 'route', label: 'Path', kind: 'choice', choices: routes },
    { key: 'code', label: 'Error code', kind: 'choice', choices: codes },
    {
      key: 'key',
      label: 'API key',
      kind: 'choice',
      choices: keys.map(({ id, name, hint }) => ({
        value: id,
        label: name === null ? hint : `${name} (${hint})`,
      })),
    },
    {
      key: 'search',
      label: 'Request id',
      kind: 'text',
      hint: 'The header Service-Request-Id of the answer, such as req_…',
    },
    { key: 'payment', label: 'Payment', kind: 'text', hint: 'The id of a payment, such as pay_…' },
    ...dateFilters,
  ];
}

const columns: readonly Column<RequestLine>[] = [
  {
    id: 'request',
    title: 'Request',
    main: true,
    className: 'max-w-96',
    cell: ({ method, path, query }) => (
      <code className="flex max-w-[min(20.25rem,100%)] font-mono text-sm whitespace-nowrap">
        <span className="w-13 shrink-0">{method}</span>
        <span className="min-w-0 truncate" title={query === null ? path : `${path}?${query}`}>
          {shortPath(path)}
          {query !== null && <span className="font-normal text-text-3">?{query}</span>}
        </span>
      </code>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ status, replayed }) => (
      <span className="inline-flex flex-wrap items-center gap-1.5 align-middle">
        <HttpStatus status={status} />
        {replayed && <ReplayBadge />}
      </span>
    ),
  },
  {
    id: 'code',
    title: 'Error code',
    card: 'line',
    isEmpty: ({ code }) => code === null,
    cell: ({ code }) => (code === null ? <None /> : <code className="font-mono text-sm">{code}</code>),
  },
  { id: 'time', title: 'Time', card: 'aside', cell: ({ at }) => <PreciseTime at={at} /> },
  {
    id: 'took',
    title: 'Took',
    align: 'end',
    card: 'titled',
    cell: ({ duration_ms }) => <span className="whitespace-nowrap">{millisecondWords(duration_ms)}</span>,
  },
  {
    id: 'key',
    title: 'API key',
    cell: ({ key }) => (
      <span dir="auto" className="inline-block max-w-28 truncate align-bottom" title={key.name ?? undefined}>
        {key.name ?? <code className="font-mono text-sm">{key.hint ?? key.id}</code>}
      </span>
    ),
  },
  {
    id: 'id',
    title: 'Request id',
    extra: true,
    cell: ({ id }) => <code className="font-mono text-sm text-text-2">{id}</code>,
  },
];
