import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type Answer, useCall, useChange } from '../../../api/calls.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select } from '../../../components/forms/inputs.tsx';
import { Drawer } from '../../../components/overlays/dialog.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { JsonView } from '../../../components/values/json-view.tsx';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { ObjectLink } from '../../../components/values/object-link.tsx';
import { Time } from '../../../components/values/time.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { withQuery } from '../../../navigation/paths.ts';
import { HttpStatus } from '../http-status.tsx';
import { DeliveryState } from '../webhooks/delivery-state.tsx';

type Found = Answer<'retrieveEventLine'>;

const pollIntervalMs = 3000;

/** Shows one event: its JSON, its deliveries and a button to resend it. @param id '' if no event is open */
export function EventDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Event" size="lg">
      {id !== '' && <EventDetails key={id} id={id} />}
    </Drawer>
  );
}

function EventDetails({ id }: { readonly id: string }) {
  const found = useCall('retrieveEventLine', { params: { id } }, { every: pollIntervalMs });
  if (found.data === undefined) {
    return found.error === null ? (
      <SkeletonLines of="the event" lines={8} />
    ) : (
      <ErrorState error={found.error} onRetry={() => void found.refetch()} />
    );
  }
  const { event, deliveries } = found.data;
  const { id: objectId } = event.data.object;
  return (
    <div className="flex flex-col gap-6">
      <KeyValue
        pairs={[
          { key: 'Type', value: <code className="font-mono text-sm">{event.type}</code> },
          { key: 'Event id', value: <CopyId id={event.id} what="event id" /> },
          { key: 'About', value: typeof objectId === 'string' ? <ObjectLink id={objectId} /> : undefined },
          { key: 'Time', value: <Time at={event.created} /> },
          { key: 'Sequence', value: `${event.sequence}, counted for this object` },
        ]}
      />
      <Deliveries deliveries={deliveries} />
      <Resend eventId={event.id} />
      <section aria-labelledby="event-json">
        <h3 id="event-json" className="mb-2 font-semibold">
          As it is sent
        </h3>
        <JsonView label="Event" value={event} />
      </section>
    </div>
  );
}

function Deliveries({ deliveries }: Pick<Found, 'deliveries'>) {
  const paths = usePaths();
  return (
    <section aria-labelledby="event-deliveries">
      <h3 id="event-deliveries" className="mb-2 font-semibold">
        Deliveries
      </h3>
      {deliveries.length === 0 ? (
        <p className="text-text-2">It was sent nowhere: no endpoint asked for it when it happened.</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {deliveries.map(({ delivery, url, endpoint_deleted: deleted }) => (
            <li key={delivery.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
              <DeliveryState delivery={delivery} />
              {delivery.last_attempt?.answer_status != null && (
                <HttpStatus status={delivery.last_attempt.answer_status} />
              )}
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                {deleted ? (
                  <>
                    {url} <span className="text-text-3">(deleted)</span>
                  </>
                ) : (
                  <Link to={withQuery(paths.webhook(delivery.endpoint), { open: delivery.id })}>{url}</Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Resend({ eventId }: { readonly eventId: string }) {
  const may = useMay();
  const endpoints = useCall('listWebhookEndpoints', {}, { enabled: may('resendEvent') });
  const active = (endpoints.data?.data ?? []).filter(({ status }) => status === 'active');
  const nowhere = endpoints.isSuccess && active.length === 0;
  const [chosen, setChosen] = useState('');
  const resend = useChange('resendEvent', ['retrieveEventLine', 'listDeliveries']);
  const endpoint = chosen === '' ? (active[0]?.id ?? '') : chosen;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (endpoint === '' || resend.isPending) return;
    resend.mutate(
      { params: { id: eventId }, body: { endpoint } },
      { onSuccess: () => toast('The event is on its way') },
    );
  };
  if (!may('resendEvent')) return null;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <Field label="Send it to" className="min-w-52 flex-1">
          <Select
            choices={active.map(({ id, url }) => ({ value: id, label: url }))}
            {...(nowhere ? { empty: 'No active endpoint' } : {})}
            value={endpoint}
            onChange={(event) => setChosen(event.target.value)}
          />
        </Field>
        <Button
          type="submit"
          icon={Send}
          busy={resend.isPending || endpoints.isPending}
          unavailable={nowhere ? 'There is no active webhook endpoint.' : undefined}
        >
          Resend
        </Button>
      </div>
      <ErrorNote error={resend.error} />
    </form>
  );
}
