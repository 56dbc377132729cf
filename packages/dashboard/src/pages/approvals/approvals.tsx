import { UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../api/calls.ts';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { SegmentedControl } from '../../components/forms/segmented-control.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { None } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { Status } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { Link, usePaths, useUrlQuery } from '../../navigation/navigation.tsx';
import { actionWords, DecideDialog, type Decision, type Item } from './decide-dialog.tsx';

const perPage = 50;
const pollIntervalMs = 5000;
const shown = [
  { value: 'waiting', label: 'Waiting' },
  { value: 'all', label: 'All' },
];

/** The requests of restricted keys and roles that need approval. */
export function ApprovalsPage() {
  const url = useUrlQuery();
  const { page, onPage } = useTableQuery();
  const all = url.get('show') === 'all';
  const query = { page, per_page: perPage, ...(all ? {} : { status: 'pending' as const }) };
  const approvals = useCall('listApprovals', { query }, { every: pollIntervalMs, keep: true });
  const [deciding, setDeciding] = useState<Decision>();
  const [columns] = useState(() => columnsFor(setDeciding));
  return (
    <>
      <PageHeader
        title="Waiting for approval"
        description="Refunds, captures and payment links above what a restricted key or a role may have done by itself. Owners and admins decide within 72 hours. Nobody approves what they asked for while somebody else could."
      />
      <DataTable
        label="Approvals"
        columns={columns}
        rows={approvals.data?.data}
        rowKey={({ approval }) => approval.id}
        stale={approvals.isPlaceholderData}
        error={approvals.error}
        onRetry={() => void approvals.refetch()}
        page={{ page, perPage, total: approvals.data?.total_count ?? 0, onPage }}
        toolbar={
          <SegmentedControl
            legend="Which are shown"
            name="show"
            choices={shown}
            value={all ? 'all' : 'waiting'}
            onChange={(value) => url.set({ show: value === 'all' ? value : undefined, page: undefined })}
          />
        }
        empty={
          <EmptyState icon={UserCheck} title={all ? 'No approvals yet' : 'Nothing waits for approval'}>
            Refunds, captures and payment links above an amount can wait for a person here: those of a
            restricted key, or of a role by the settings of payments.
          </EmptyState>
        }
      />
      <DecideDialog decision={deciding} onClose={() => setDeciding(undefined)} />
    </>
  );
}

const columnsFor = (onDecide: (decision: Decision) => void): readonly Column<Item>[] => [
  {
    id: 'amount',
    title: 'What',
    main: true,
    cell: ({ approval }) => (
      <span className="sm:whitespace-nowrap">
        {actionWords[approval.action]} <Money amount={approval.amount} currency={approval.currency} />
      </span>
    ),
  },
  { id: 'status', title: 'Status', card: 'status', cell: ({ approval }) => <State approval={approval} /> },
  { id: 'about', title: 'About', card: 'line', cell: (item) => <About {...item} /> },
  {
    id: 'by',
    title: 'Asked for by',
    card: 'titled',
    cell: ({ approval, requester, own }) => (
      <span className="flex max-w-48 min-w-20 flex-col [overflow-wrap:anywhere]">
        {requester ?? approval.requested_by}
        {own && (
          <span className="text-sm text-text-2">
            {approval.requester_email === null ? 'A key of yours' : 'You'}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'why',
    title: 'Why',
    card: 'line',
    isEmpty: ({ why }) => why === null,
    cell: ({ why }) =>
      why === null ? (
        <None />
      ) : (
        <span className="block max-w-64 min-w-28 [overflow-wrap:anywhere]">{why}</span>
      ),
  },
  {
    id: 'until',
    title: 'Waits until',
    card: 'titled',
    cell: ({ approval }) => <Time at={approval.expires_at} className="whitespace-nowrap text-text-2" />,
  },
  {
    id: 'actions',
    title: 'Actions',
    quiet: true,
    align: 'end',
    card: 'line',
    isEmpty: ({ approval }) => approval.status !== 'pending',
    cell: (item) => item.approval.status === 'pending' && <Actions item={item} onDecide={onDecide} />,
  },
];

/** The payment of the request. For a payment link, its title, which leads to the link once it exists. */
function About({ approval, reference }: Item) {
  const paths = usePaths();
  const { resource, result } = approval;
  const title = (
    <span dir="auto" className="block max-w-48 min-w-20 [overflow-wrap:anywhere]">
      {reference ?? <code className="font-mono text-sm">{resource}</code>}
    </span>
  );
  if (resource !== null) return <Link to={paths.payment(resource)}>{title}</Link>;
  return result === null ? title : <Link to={paths.paymentLink(result)}>{title}</Link>;
}

function State({ approval }: Pick<Item, 'approval'>) {
  const { status, reason, failure, decided_by: by } = approval;
  return (
    <span className="flex max-w-56 flex-col items-start gap-0.5 [overflow-wrap:anywhere]">
      <Status kind="approval" status={failure === null ? status : 'failed'} />
      {failure !== null && <span className="text-sm text-bad">{failure.message}</span>}
      {by !== null && <span className="text-xs text-text-3">by {by}</span>}
      {reason !== null && <span className="text-sm text-text-2">{reason}</span>}
    </span>
  );
}

function Actions({
  item,
  onDecide,
}: {
  readonly item: Item;
  readonly onDecide: (decision: Decision) => void;
}) {
  const refusal = useRefusal();
  const about = (
    <span className="sr-only"> what was asked for {item.approval.resource ?? item.reference}</span>
  );
  return (
    <span className="inline-flex gap-2">
      <Button
        size="sm"
        unavailable={refusal('approveRequest') ?? item.obstacle ?? undefined}
        onClick={() => onDecide({ item, operation: 'approveRequest' })}
      >
        Approve
        {about}
      </Button>
      <Button
        size="sm"
        unavailable={refusal('refuseRequest')}
        onClick={() => onDecide({ item, operation: 'refuseRequest' })}
      >
        Refuse
        {about}
      </Button>
    </span>
  );
}
