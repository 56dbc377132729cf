import type { Answer } from '../../../api/calls.ts';
import { useCall, useChange } from '../../../api/calls.ts';
import { useMay } from '../../../api/session.ts';
import { Stat } from '../../../components/charts/stat.tsx';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast, toastError } from '../../../components/feedback/toasts.tsx';
import { Switch } from '../../../components/forms/choices.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { InRealTime } from '../../../components/values/account-clock.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { KeyValue, type Pair } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { countText } from '../../../lib/wording/plural.ts';
import { useParam, usePaths } from '../../../navigation/navigation.tsx';
import { percentWords } from '../words.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { additionalEventsHint } from './endpoint-options.tsx';
import { EndpointState, endpointLook, endpointName, PlainHttpBadge } from './endpoint-state.tsx';
import { SendWaiting } from './send-waiting.tsx';

type Endpoint = Answer<'retrieveWebhookEndpoint'>;

const pollIntervalMs = 5000;

/** One endpoint: its health, settings and deliveries. */
export function WebhookPage() {
  const paths = usePaths();
  const id = useParam('id');
  const endpoint = useCall('retrieveWebhookEndpoint', { params: { id } }, { every: pollIntervalMs });
  const crumbs = [{ label: 'Webhooks', to: paths.webhooks }];
  if (endpoint.data === undefined) {
    return (
      <>
        <PageHeader title="Webhook endpoint" crumbs={crumbs} />
        <Card>
          {endpoint.error === null ? (
            <SkeletonLines of="the endpoint" lines={6} />
          ) : (
            <ErrorState error={endpoint.error} onRetry={() => void endpoint.refetch()} />
          )}
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Webhook endpoint"
        heading={endpointName(endpoint.data)}
        crumbs={crumbs}
        description={
          <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
            <EndpointState endpoint={endpoint.data} />
            <PlainHttpBadge url={endpoint.data.url} />
            <span>{endpointLook(endpoint.data).hint}</span>
          </span>
        }
        actions={<EndpointActions endpoint={endpoint.data} />}
      />
      <div className="flex flex-col gap-5">
        <SendWaiting endpoint={endpoint.data} />
        <div className="grid grid-cols-1 items-start gap-3 lg:grid-cols-[2fr_3fr]">
          <Health endpoint={endpoint.data} />
          <Settings endpoint={endpoint.data} />
        </div>
        <Deliveries endpoint={endpoint.data} />
      </div>
    </>
  );
}

function Health({ endpoint }: { readonly endpoint: Endpoint }) {
  const { health } = endpoint;
  if (health === null) {
    return (
      <Card title="Deliveries">
        <p className="text-text-2">There are too many to be counted at this moment.</p>
      </Card>
    );
  }
  const { attempted, succeeded, pending, oldest_pending_at: oldest } = health;
  return (
    <div className="grid grid-cols-2 gap-3">
      <Stat
        label="Success, last 24 hours"
        value={attempted === 0 ? '–' : percentWords(succeeded, attempted)}
      />
      <Stat label="Attempts, last 24 hours" value={countText(attempted)} />
      <Stat label="Waiting deliveries" value={countText(pending)} />
      <Stat
        label="Oldest waiting"
        value={oldest === null ? '–' : <Time at={oldest} show="relative" />}
        detail={oldest === null ? 'Nothing waits' : <Time at={oldest} />}
      />
    </div>
  );
}

function settingPairs(endpoint: Endpoint): Pair[] {
  const { former_secret_until: former } = endpoint;
  return [
    ...(endpoint.name === null
      ? []
      : [{ key: 'Address', value: <span className="[overflow-wrap:anywhere]">{endpoint.url}</span> }]),
    { key: 'Id', value: <CopyId id={endpoint.id} what="endpoint id" /> },
    {
      key: 'Signing secret',
      value:
        former === null ? (
          'Shown once when it was made. Roll it to get a new one.'
        ) : (
          <>
            The former one signs too until <Time at={former} />
            <InRealTime />
          </>
        ),
    },
    ...(endpoint.event_types === null
      ? []
      : [
          {
            key: 'Events',
            value: <span className="font-mono text-sm">{endpoint.event_types.join(', ')}</span>,
          },
        ]),
    ...(endpoint.payload === 'full'
      ? []
      : [{ key: 'What an event holds', value: "Its object's id alone (thin)" }]),
    {
      key: 'Created',
      value: (
        <>
          <Time at={endpoint.created_at} />
          <InRealTime />
        </>
      ),
    },
  ];
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }) {
  const change = useChange('updateWebhookEndpoint', ['retrieveWebhookEndpoint', 'listWebhookEndpoints']);
  const may = useMay();
  const { id, additional_events: additional } = endpoint;
  return (
    <Card title="Settings">
      <div className="flex flex-col gap-5">
        <KeyValue pairs={settingPairs(endpoint)} />
        <div className="border-t border-line pt-4">
          <Switch
            label="Additional events"
            hint={
              endpoint.event_types === null
                ? additionalEventsHint
                : 'The types chosen above decide. Change the endpoint to choose others.'
            }
            checked={additional}
            disabled={!may('updateWebhookEndpoint') || change.isPending || endpoint.event_types !== null}
            onChange={(checked) =>
              change.mutate(
                { params: { id }, body: { additional_events: checked } },
                {
                  onSuccess: () =>
                    toast(checked ? 'All types of events are sent now' : 'Only final outcomes are sent now'),
                  onError: toastError,
                },
              )
            }
          />
        </div>
      </div>
    </Card>
  );
}
