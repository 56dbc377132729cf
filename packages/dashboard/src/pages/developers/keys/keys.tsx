import { KeyRound, Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { useRefusal, useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { RoleGate, useAllowed } from '../../../components/layout/role-gate.tsx';
import { DataTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { useTableQuery } from '../../../components/tables/table-query.ts';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { Status } from '../../../components/values/status.tsx';
import { Time } from '../../../components/values/time.tsx';
import { cx } from '../../../lib/class-names.ts';
import { CreateKey } from './create-key.tsx';
import { RestrictionShown } from './restriction-shown.tsx';
import { type ApiKey, RevokeKey } from './revoke-key.tsx';
import { RollButton, RollKey } from './roll-key.tsx';

const perPage = 50;
const pollIntervalMs = 5000;

/** The account's API keys. */
export function KeysPage() {
  const { page, onPage } = useTableQuery();
  const keys = useCall(
    'listApiKeys',
    { query: { page, per_page: perPage } },
    { every: pollIntervalMs, keep: true, enabled: useAllowed('listApiKeys') },
  );
  const refusal = useRefusal();
  const [creating, setCreating] = useState(false);
  const [rolling, setRolling] = useState<ApiKey>();
  const [columns] = useState(() => columnsFor(setRolling));
  const mode = useWorkspace()?.livemode === true ? 'live' : 'sandbox';
  const create = (
    <Button
      variant="primary"
      icon={Plus}
      unavailable={
        refusal('createApiKey') && mode === 'live'
          ? 'Owners and admins create live keys: with one, real money moves.'
          : refusal('createApiKey')
      }
      onClick={() => setCreating(true)}
    >
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={`Your server calls the API with a secret key. This workspace is in its ${mode} environment: keys of the other one are refused.`}
        actions={create}
      />
      <RoleGate operation="listApiKeys" what="API keys">
        <RealTimes>
          <DataTable
            label="Keys"
            columns={columns}
            rows={keys.data?.data}
            rowKey={({ id }) => id}
            stale={keys.isPlaceholderData}
            error={keys.error}
            onRetry={() => void keys.refetch()}
            page={{ page, perPage, total: keys.data?.total_count ?? 0, onPage }}
            empty={
              <EmptyState icon={KeyRound} title="No API keys yet">
                Your server needs a secret key to call the API. Create one for each of its parts, so that each
                can be replaced alone.
              </EmptyState>
            }
          />
        </RealTimes>
      </RoleGate>
      <RollKey apiKey={rolling} onClose={() => setRolling(undefined)} />
      <CreateKey open={creating} onClose={() => setCreating(false)} />
    </>
  );
}

const faded = ({ state }: ApiKey) => (state === 'active' ? undefined : 'text-text-3');

const columnsFor = (onRoll: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    title: 'Name',
    main: true,
    cell: (key) => (
      <span className={cx('block max-w-60 min-w-24 font-medium [overflow-wrap:anywhere]', faded(key))}>
        {key.name ?? <span className="font-normal text-text-3">Without a name</span>}
      </span>
    ),
  },
  {
    id: 'key',
    title: 'Key',
    card: 'line',
    cell: (key) => (
      <span className={cx('flex flex-col gap-1', faded(key))}>
        <code className="font-mono text-sm whitespace-nowrap">{key.hint}</code>
        <RestrictionShown restriction={key.restriction} />
      </span>
    ),
  },
  { id: 'status', title: 'Status', card: 'status', cell: (key) => <KeyState apiKey={key} /> },
  {
    id: 'used',
    title: 'Last used',
    card: 'titled',
    cell: (key) => (
      <span className={cx('whitespace-nowrap', faded(key))}>
        {key.last_used_at === null ? 'Never used' : <Time at={key.last_used_at} />}
      </span>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    card: 'titled',
    cell: (key) => (
      <span className={cx('flex flex-col', faded(key))}>
        <Time at={key.created_at} className="whitespace-nowrap" />
        <span className="max-w-56 text-sm text-text-2 [overflow-wrap:anywhere]">
          {key.created_by === null ? 'by the operator' : `by ${key.created_by}`}
        </span>
      </span>
    ),
  },
  {
    id: 'actions',
    title: 'Actions',
    quiet: true,
    align: 'end',
    card: 'line',
    isEmpty: ({ state }) => state !== 'active' && state !== 'other_environment',
    cell: (key) =>
      (key.state === 'active' || key.state === 'other_environment') && (
        <span className="inline-flex gap-2">
          {key.state === 'active' && key.expires_at === null && (
            <RollButton apiKey={key} onRoll={() => onRoll(key)} />
          )}
          <RevokeKey apiKey={key} />
        </span>
      ),
  },
];

function KeyState({ apiKey: { state, expires_at: ends } }: { readonly apiKey: ApiKey }) {
  if (state === 'active' && ends !== null) {
    return (
      <span className="inline-flex flex-col items-start gap-0.5">
        <Status kind="key" status={state} />
        <span className="text-xs whitespace-nowrap text-text-3">
          expires <Time at={ends} />
        </span>
      </span>
    );
  }
  if (state !== 'other_environment') return <Status kind="key" status={state} />;
  return (
    <span className="inline-flex flex-col items-start gap-0.5">
      <Badge>
        <Icon of={TriangleAlert} className="size-3.5" />
        Other environment
      </Badge>
      <span className="text-xs whitespace-nowrap text-text-3">
        answers <code className="font-mono">key_mode_mismatch</code>
      </span>
    </span>
  );
}
