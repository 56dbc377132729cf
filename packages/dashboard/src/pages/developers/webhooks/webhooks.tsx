import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { RoleGate, useAllowed } from '../../../components/layout/role-gate.tsx';
import { DataTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { None } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { countText } from '../../../lib/wording/plural.ts';
import { usePaths } from '../../../navigation/navigation.tsx';
import { percentWords } from '../words.ts';
import { AddEndpoint } from './add-endpoint.tsx';
import { eventsWords } from './endpoint-options.tsx';
import { type Endpoint, EndpointState, PlainHttpBadge } from './endpoint-state.tsx';

const pollIntervalMs = 5000;

/** The account's webhook endpoints. */
export function WebhooksPage() {
  const endpoints = useCall(
    'listWebhookEndpoints',
    {},
    { every: pollIntervalMs, enabled: useAllowed('listWebhookEndpoints') },
  );
  const paths = usePaths();
  const refusal = useRefusal();
  const [adding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Addresses of your server that are notified of every event, those of the sandbox and of live. Each message is signed."
        actions={
          <Button
            variant="primary"
            icon={Plus}
            unavailable={refusal('createWebhookEndpoint')}
            onClick={() => setAdding(true)}
          >
            Add endpoint
          </Button>
        }
      />
      <RoleGate operation="listWebhookEndpoints" what="webhooks">
        <DataTable
          label="Webhook endpoints"
          columns={columns}
          rows={endpoints.data?.data}
          rowKey={({ id }) => id}
          rowTo={({ id }) => paths.webhook(id)}
          error={endpoints.error}
          onRetry={() => void endpoints.refetch()}
          empty={
            <EmptyState icon={Webhook} title="No webhook endpoints yet">
              A payment can finish after your customer left your page. Add an address of your server, and it
              is notified of every outcome.
            </EmptyState>
          }
        />
      </RoleGate>
      <AddEndpoint open={adding} onClose={() => setAdding(false)} />
    </>
  );
}

const columns: readonly Column<Endpoint>[] = [
  {
    id: 'url',
    title: 'Endpoint',
    main: true,
    cell: ({ name, url }) => (
      <span className="block max-w-96 sm:min-w-64 [overflow-wrap:anywhere]">
        {name !== null && <span className="block">{name}</span>}
        <span className={name === null ? undefined : 'text-sm font-normal text-text-2'}>{url}</span>{' '}
        <PlainHttpBadge url={url} />
      </span>
    ),
  },
  { id: 'state', title: 'Status', card: 'status', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  {
    id: 'success',
    title: 'Success, 24 h',
    card: 'titled',
    align: 'end',
    cell: (endpoint) => <Success endpoint={endpoint} />,
  },
  {
    id: 'pending',
    title: 'Waiting',
    card: 'titled',
    isEmpty: ({ health }) => !health?.pending,
    align: 'end',
    cell: ({ health }) => (health?.pending ? countText(health.pending) : <None />),
  },
  {
    id: 'oldest',
    title: 'Oldest waiting',
    card: 'titled',
    isEmpty: ({ health }) => !health?.oldest_pending_at,
    cell: ({ health }) =>
      health?.oldest_pending_at ? (
        <Time at={health.oldest_pending_at} show="relative" className="whitespace-nowrap" />
      ) : (
        <None />
      ),
  },
  {
    id: 'types',
    title: 'Events',
    card: 'line',
    cell: (endpoint) => eventsWords(endpoint),
  },
];

function Success({ endpoint: { health } }: { readonly endpoint: Endpoint }) {
  if (health === null) return <span className="whitespace-nowrap text-text-3">Too many to count</span>;
  const { attempted, succeeded } = health;
  if (attempted === 0) return <span className="whitespace-nowrap text-text-3">Nothing sent</span>;
  return (
    <span className="whitespace-nowrap">
      {percentWords(succeeded, attempted)}
      <span className="text-text-3"> of {countText(attempted)}</span>
    </span>
  );
}
