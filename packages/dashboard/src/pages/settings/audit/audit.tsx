import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { type Answer, useCall } from '../../../api/calls.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import type { Filter } from '../../../components/filters/filter-bar.tsx';
import { dateFilters, FilteredTable, useListQuery } from '../../../components/filters/filtered-table.tsx';
import { Drawer } from '../../../components/overlays/dialog.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { KeyValue, None } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { formatExactTime } from '../../../lib/amounts/time.ts';
import { SettingsPage } from '../settings-page.tsx';
import { AuditChanges } from './audit-changes.tsx';

type Entry = Answer<'listAuditEntries'>['data'][number];

const filters: readonly Filter[] = [
  { key: 'actor', label: 'Who', kind: 'text', hint: 'The e-mail address of a person.' },
  {
    key: 'action',
    label: 'Action',
    kind: 'text',
    hint: 'As written in the list, or its beginning up to a dot: member.',
  },
  { key: 'object', label: 'Object', kind: 'text', hint: 'An id, such as that of a payment.' },
  ...dateFilters,
];

/** The audit log of the workspace. */
export function AuditPage() {
  const [open, setOpen] = useState<Entry>();
  const query = useListQuery<'listAuditEntries'>(filters);
  const entries = useCall('listAuditEntries', { query }, { keep: true });
  return (
    <SettingsPage
      page="audit"
      description="Every change that people made here, newest first. It cannot be edited."
    >
      <RealTimes>
        <FilteredTable
          label="Entries"
          views="audit"
          one="entry"
          filters={filters}
          list={entries}
          columns={columns}
          rowKey={(entry) => entry.id}
          onOpen={setOpen}
          empty={
            <EmptyState icon={ScrollText} title="Nothing was changed yet">
              What people do in the dashboard is written here.
            </EmptyState>
          }
        />
        <Drawer open={open !== undefined} onClose={() => setOpen(undefined)} title="Entry">
          {open !== undefined && <EntryDetails entry={open} />}
        </Drawer>
      </RealTimes>
    </SettingsPage>
  );
}

/** The actor of an entry. For a failed sign-in only the e-mail address is known. */
const who = ({ action, actor }: Entry) =>
  action.startsWith('sign_in.') && actor.email !== null
    ? `Somebody, as ${actor.email}`
    : (actor.email ?? (actor.type === 'operator' ? 'Operator, at the command line' : <None />));

const columns: readonly Column<Entry>[] = [
  { id: 'time', title: 'Time', main: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'who', title: 'Who', card: 'line', cell: who },
  {
    id: 'action',
    title: 'Action',
    card: 'status',
    cell: ({ action }) => <code className="font-mono text-sm">{action}</code>,
  },
  {
    id: 'object',
    title: 'Object',
    card: 'line',
    isEmpty: ({ object_id }) => object_id === null,
    cell: ({ object_id }) =>
      object_id === null ? (
        <None />
      ) : (
        <code className="block truncate font-mono text-sm text-text-2">{object_id}</code>
      ),
  },
];

function EntryDetails({ entry }: { readonly entry: Entry }) {
  return (
    <div className="flex flex-col gap-5">
      <KeyValue
        pairs={[
          { key: 'Time', value: formatExactTime(entry.created_at) },
          { key: 'Who', value: who(entry) },
          { key: 'Action', value: <code className="font-mono text-sm">{entry.action}</code> },
          { key: 'Object', value: entry.object_id },
          { key: 'IP address', value: entry.ip },
          { key: 'Mode', value: entry.livemode ? 'Live' : 'Sandbox' },
        ]}
      />
      <AuditChanges before={entry.before} after={entry.after} />
    </div>
  );
}
