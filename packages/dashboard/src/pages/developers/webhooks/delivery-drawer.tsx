import { RotateCcw } from 'lucide-react';
import { useCall, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast, toastError } from '../../../components/feedback/toasts.tsx';
import { Drawer } from '../../../components/overlays/dialog.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { NextTime } from '../../../components/values/time-left.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { withQuery } from '../../../navigation/paths.ts';
import { AttemptDetails } from './attempts/attempt-details.tsx';
import { type Delivery, DeliveryState, ModeBadge, parkedHint } from './delivery-state.tsx';
import type { Endpoint } from './endpoint-state.tsx';

const pollIntervalMs = 3000;

/** Shows one delivery with its attempts. @param id '' if no delivery is open */
export function DeliveryDrawer({
  endpoint,
  id,
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly id: string;
  readonly onClose: () => void;
}) {
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Delivery" size="lg">
      {id !== '' && <DeliveryDetails key={id} endpoint={endpoint} id={id} />}
    </Drawer>
  );
}

function DeliveryDetails({ endpoint, id }: { readonly endpoint: Endpoint; readonly id: string }) {
  const params = { id: endpoint.id, delivery: id };
  const found = useCall('retrieveDelivery', { params }, { every: pollIntervalMs });
  if (found.data === undefined) {
    return found.error === null ? (
      <SkeletonLines of="the delivery" lines={8} />
    ) : (
      <ErrorState error={found.error} onRetry={() => void found.refetch()} />
    );
  }
  const { delivery, attempts } = found.data;
  return (
    <div className="flex flex-col gap-6">
      <Summary endpoint={endpoint} delivery={delivery} />
      <section aria-labelledby="attempts">
        <h3 id="attempts" className="mb-2 font-semibold">
          Attempts
        </h3>
        {attempts.length === 0 ? (
          <p className="text-text-2">
            {delivery.state === 'pending'
              ? 'Nothing was sent yet.'
              : 'What was sent and answered is kept for 30 days, and these attempts are older.'}
          </p>
        ) : (
          <ol className="flex flex-col gap-3">
            {attempts.toReversed().map((attempt, index) => (
              <li key={attempt.number}>
                <AttemptDetails attempt={attempt} initiallyOpen={index === 0} />
              </li>
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}

function Summary({ endpoint, delivery }: { readonly endpoint: Endpoint; readonly delivery: Delivery }) {
  const paths = usePaths();
  return (
    <div className="flex flex-col gap-4">
      <KeyValue
        pairs={[
          {
            key: 'Status',
            value: (
              <span className="inline-flex flex-wrap items-center gap-2">
                <DeliveryState delivery={delivery} />
                <ModeBadge livemode={delivery.livemode} />
                {delivery.state === 'parked' && <span className="text-text-2">{parkedHint}</span>}
              </span>
            ),
          },
          { key: 'Event', value: <code className="font-mono text-sm">{delivery.event_type}</code> },
          {
            key: 'Event id',
            value: (
              <span className="inline-flex max-w-full flex-wrap items-center gap-x-3">
                <CopyId id={delivery.event} what="event id" />
                <Link to={withQuery(paths.events, { open: delivery.event })}>Open event</Link>
              </span>
            ),
          },
          { key: 'Event time', value: <Time at={delivery.created_at} /> },
          { key: 'Delivery id', value: <CopyId id={delivery.id} what="delivery id" /> },
          { key: 'Next attempt', value: <NextAttempt endpoint={endpoint} delivery={delivery} /> },
        ]}
      />
      <div>
        <ResendButton endpoint={endpoint} delivery={delivery} />
      </div>
    </div>
  );
}

function NextAttempt({ endpoint, delivery }: { readonly endpoint: Endpoint; readonly delivery: Delivery }) {
  if (delivery.state !== 'pending') return 'None';
  if (endpoint.status === 'paused') return 'When the endpoint is resumed';
  return delivery.next_attempt_at === null ? 'Now' : <NextTime at={delivery.next_attempt_at} />;
}

function ResendButton({ endpoint, delivery }: { readonly endpoint: Endpoint; readonly delivery: Delivery }) {
  const refusal = useRefusal();
  const resend = useChange('resendDelivery', [
    'retrieveDelivery',
    'listDeliveries',
    'retrieveWebhookEndpoint',
  ]);
  const paused = endpoint.status === 'paused' ? 'The endpoint is paused. Resume it first.' : undefined;
  return (
    <Button
      icon={RotateCcw}
      busy={resend.isPending}
      unavailable={refusal('resendDelivery') ?? paused}
      onClick={() =>
        resend.mutate(
          { params: { id: endpoint.id, delivery: delivery.id } },
          {
            onSuccess: () => toast('It is being sent once more'),
            onError: toastError,
          },
        )
      }
    >
      Resend
    </Button>
  );
}
