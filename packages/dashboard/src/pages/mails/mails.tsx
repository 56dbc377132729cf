import { Archive, Mails } from 'lucide-react';
import { useCall } from '../../api/calls.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import type { Filter } from '../../components/filters/filter-bar.tsx';
import { FilteredTable, useListQuery } from '../../components/filters/filtered-table.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { RoleGate } from '../../components/layout/role-gate.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { RealTimes } from '../../components/values/account-clock.tsx';
import { None } from '../../components/values/key-value.tsx';
import { Time } from '../../components/values/time.tsx';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { MailDrawer } from './mail-drawer.tsx';
import { type MailLine, MailState, mailStates } from './mail-state.tsx';

const refreshMs = 10_000;

const filters: readonly Filter[] = [
  {
    key: 'state',
    label: 'State',
    kind: 'choice',
    choices: Object.entries(mailStates).map(([value, { word }]) => ({ value, label: word })),
  },
];

/** The outbox: the mails to the people of this workspace, and whether they were sent. */
export function MailsPage() {
  return (
    <>
      <PageHeader
        title="Mail outbox"
        description="Mail to the people of this workspace: about disputes, paused webhooks and invitations, of sandbox and live. Buyers get receipts that they ask for, and payment links that somebody sends."
      />
      <RoleGate operation="listMails" what="mail">
        <RealTimes>
          <Outbox />
        </RealTimes>
      </RoleGate>
    </>
  );
}

function Outbox() {
  const url = useUrlQuery();
  const query = useListQuery<'listMails'>(filters);
  const list = useCall('listMails', { query }, { every: refreshMs, keep: true });
  return (
    <>
      <NoServer shown={list.data?.sends === false} />
      <FilteredTable
        label="Mails"
        name="mails"
        views="mails"
        one="mail"
        filters={filters}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => url.set({ mail: id })}
        empty={
          <EmptyState icon={Mails} title="No mail was written yet">
            Mail about disputes, paused webhooks and invitations appears here.
          </EmptyState>
        }
      />
      <MailDrawer id={url.get('mail')} onClose={() => url.set({ mail: undefined }, { replace: true })} />
    </>
  );
}

/** Says that mail is not set up, and what the operator can do. */
const NoServer = ({ shown }: { readonly shown: boolean }) => (
  <div role="status">
    {shown && (
      <div className="mb-4 flex gap-2.5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
        <Icon of={Archive} className="mt-0.5 size-4.5" />
        <p>
          <b className="font-semibold">No mail server is set: mails are only kept here and reach nobody.</b>{' '}
          Look here for deadlines of disputes, and hand invitations over yourself. The operator of this server
          sets <code className="font-mono text-sm">SMTP_URL</code>; mails that were kept until then are not
          sent later.
        </p>
      </div>
    )}
  </div>
);

const columns: readonly Column<MailLine>[] = [
  {
    id: 'subject',
    title: 'Subject',
    main: true,
    className: 'min-w-48',
    cell: ({ subject }) => <span className="[overflow-wrap:anywhere]">{subject}</span>,
  },
  {
    id: 'to',
    title: 'To',
    card: 'titled',
    cell: ({ to }) => <span className="block truncate max-sm:inline max-sm:whitespace-normal">{to}</span>,
  },
  { id: 'state', title: 'State', card: 'status', cell: ({ state }) => <MailState state={state} /> },
  { id: 'tries', title: 'Tries', align: 'end', cell: ({ tries }) => tries },
  {
    id: 'error',
    title: 'Error',
    card: 'line',
    isEmpty: ({ error }) => error === null,
    cell: ({ error }) =>
      error === null ? <None /> : <span className="block truncate text-bad">{error}</span>,
  },
  {
    id: 'created',
    title: 'Written',
    card: 'aside',
    cell: ({ created_at: at }) => <Time at={at} className="whitespace-nowrap text-text-2" />,
  },
];
