import type { UseQueryResult } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { type Answer, useCall } from '../../api/calls.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { type Filter, useFilterWords } from '../../components/filters/filter-bar.tsx';
import { FilteredTable, useListQuery } from '../../components/filters/filtered-table.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { Tabs } from '../../components/layout/tabs.tsx';
import { ExportButton } from '../../components/overlays/export-button.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { Money } from '../../components/values/money.tsx';
import { PaidWith } from '../../components/values/paid-with.tsx';
import { Status } from '../../components/values/status.tsx';
import { Countdown, Time } from '../../components/values/time.tsx';
import {
  disputeReason,
  disputeReasons,
  disputeState,
  disputeStates,
} from '../../lib/wording/dispute-words.ts';
import { countOf, countText } from '../../lib/wording/plural.ts';
import { usePaths, useUrlQuery } from '../../navigation/navigation.tsx';

type Dispute = Answer<'listDisputes'>['data'][number];
type TabName = keyof Answer<'listDisputes'>['tabs'];

const refreshMs = 30_000;
const countedUpTo = 10_000;

const tabs = [
  ['action_required', 'Action required'],
  ['challenged', 'Challenged'],
  ['closed', 'Closed'],
] as const satisfies readonly (readonly [TabName, string])[];

const filters: readonly Filter[] = [
  { key: 'reason', label: 'Reason', kind: 'choice', choices: disputeReasons },
  { key: 'state', label: 'Stage', kind: 'choice', choices: disputeStates },
  {
    key: 'assignee',
    label: 'Handed to',
    kind: 'choice',
    choices: [
      { value: 'me', label: 'Me' },
      { value: 'nobody', label: 'Nobody' },
    ],
  },
  { key: 'payment', label: 'Payment', kind: 'text', hint: 'The id of a payment: pay_…' },
];

/** The list of disputes: those that need a response, those under review, and closed ones. */
export function DisputesPage() {
  const url = useUrlQuery();
  const tab = tabs.find(([name]) => name === url.get('tab'))?.[0] ?? 'action_required';
  const query = { ...useListQuery<'listDisputes'>(filters), tab };
  const { page: _page, per_page: _perPage, tab: _tab, ...ofAllTabs } = query;
  const words = useFilterWords(filters);
  const list = useCall('listDisputes', { query }, { every: refreshMs, keep: true });
  return (
    <>
      <PageHeader
        title="Disputes"
        description="Buyers who take a payment back at their bank. Owners and admins get a mail for each, and before its deadline."
        actions={
          <ExportButton
            operation="exportDisputes"
            one="dispute"
            query={ofAllTabs}
            filters={words}
            expected={undefined}
          />
        }
      />
      <Tabs
        label="Disputes by status"
        value={tab}
        onChange={(next) => url.set({ tab: next === 'action_required' ? undefined : next, page: undefined })}
        tabs={tabs.map(([name, label]) => ({
          id: name,
          label: <TabLabel label={label} count={list.data?.tabs[name]} />,
          content: name === tab ? <Inbox tab={name} list={list} /> : null,
        }))}
      />
    </>
  );
}

const TabLabel = ({ label, count }: { readonly label: string; readonly count: number | undefined }) => (
  <>
    {label}
    {count !== undefined && (
      <span className="ml-1.5 rounded-full bg-sunken px-1.5 text-xs text-text-2 tabular-nums">
        {count >= countedUpTo ? '9,999+' : countText(count)}
      </span>
    )}
  </>
);

function Inbox({
  tab,
  list,
}: {
  readonly tab: TabName;
  readonly list: UseQueryResult<Answer<'listDisputes'>>;
}) {
  const paths = usePaths();
  return (
    <FilteredTable
      label="Disputes"
      name={`disputes-${tab}`}
      views="disputes"
      one="dispute"
      filters={filters}
      list={list}
      columns={columnsOf[tab]}
      rowKey={({ id }) => id}
      rowTo={({ id }) => paths.dispute(id)}
      empty={<Nothing tab={tab} />}
    />
  );
}

function Nothing({ tab }: { readonly tab: TabName }) {
  switch (tab) {
    case 'action_required':
      return (
        <EmptyState icon={ShieldCheck} title="No dispute waits for you">
          When a buyer disputes a payment at their bank, it appears here with the time that is left to answer.
        </EmptyState>
      );
    case 'challenged':
      return (
        <EmptyState icon={ShieldAlert} title="No defence is being decided">
          Disputes that you defended stay here until the issuer has decided.
        </EmptyState>
      );
    case 'closed':
      return (
        <EmptyState icon={ShieldAlert} title="No dispute is closed yet">
          Disputes that were won, lost or accepted stay here.
        </EmptyState>
      );
  }
}

const amount: Column<Dispute> = {
  id: 'amount',
  title: 'Amount',
  main: true,
  align: 'end',
  cell: (dispute) => <Money amount={dispute.amount} currency={dispute.currency} />,
};
const reason: Column<Dispute> = {
  id: 'reason',
  card: 'line',
  title: 'Reason',
  cell: (dispute) => <span className="whitespace-nowrap">{disputeReason(dispute.reason).word}</span>,
};
const stage: Column<Dispute> = {
  id: 'stage',
  card: 'line',
  title: 'Stage',
  cell: ({ state }) => <span className="whitespace-nowrap">{disputeState(state).word}</span>,
};
const status: Column<Dispute> = {
  id: 'status',
  card: 'status',
  title: 'Status',
  cell: (dispute) => <Status kind="dispute" status={dispute.status} />,
};
const method: Column<Dispute> = {
  id: 'method',
  card: 'aside',
  title: 'Paid with',
  cell: ({ payment_method: paid }) => <PaidWith type={paid.type} brand={paid.brand} last4={paid.last4} />,
};
const opened: Column<Dispute> = {
  id: 'opened',
  card: 'end',
  title: 'Raised',
  cell: ({ raised_at: at }) => <Time at={at} className="whitespace-nowrap text-text-2" />,
};
const payment: Column<Dispute> = {
  id: 'payment',
  title: 'Payment',
  extra: true,
  cell: (dispute) => <code className="font-mono text-sm text-text-2">{dispute.payment}</code>,
};
const team: Column<Dispute> = {
  id: 'team',
  title: 'Prepared by',
  cell: ({ draft, assignee }) => (
    <span className="flex max-w-64 min-w-40 flex-col text-sm [overflow-wrap:anywhere]">
      <span className={assignee === null ? 'text-text-3' : ''}>{assignee ?? 'Nobody yet'}</span>
      {draft !== null && (
        <span className="text-text-2">
          Draft, {draft.files === 0 ? 'no file' : countOf(draft.files, 'file')}
          {draft.edited_by === assignee ? '' : `, by ${draft.edited_by}`},{' '}
          <Time at={draft.edited_at} show="relative" />
        </span>
      )}
    </span>
  ),
};
const deadline: Column<Dispute> = {
  id: 'deadline',
  card: 'status',
  title: 'Answer by',
  className: 'whitespace-nowrap',
  cell: ({ respond_by: by }) =>
    by === null ? <span className="text-text-3">no deadline named</span> : <Countdown to={by} />,
};

/** Hides a column until the person asks for it. */
const onRequest = (column: Column<Dispute>): Column<Dispute> => ({ ...column, extra: true });

const columnsOf: Readonly<Record<TabName, readonly Column<Dispute>[]>> = {
  action_required: [
    deadline,
    amount,
    reason,
    team,
    status,
    stage,
    ...[method, opened, payment].map(onRequest),
  ],
  challenged: [amount, reason, stage, method, opened, payment],
  closed: [amount, status, reason, stage, method, opened, payment],
};
