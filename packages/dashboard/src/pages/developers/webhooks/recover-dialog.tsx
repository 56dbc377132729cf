import { type FormEvent, useState } from 'react';
import { useCall, useChange } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { Progress } from '../../../components/feedback/progress.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select, TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useAccountNow } from '../../../components/values/account-clock.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import type { Endpoint } from './endpoint-state.tsx';

const hourMs = 3_600_000;
const spans = [
  { value: String(hourMs), label: 'the last hour' },
  { value: String(24 * hourMs), label: 'the last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'the last 7 days' },
  { value: String(30 * 24 * hourMs), label: 'the last 30 days' },
  { value: 'custom', label: 'a time of your choice' },
];
const failures = (count: number) => countOf(count, 'failed delivery', 'failed deliveries');

const isoOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Resends all deliveries that failed for good since a moment, and shows the progress. */
export function RecoverDialog({
  endpoint,
  open,
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [running, setRunning] = useState<Running>();
  const close = () => {
    onClose();
    setRunning(undefined);
  };
  return (
    <Dialog open={open} onClose={close} title="Recover failed deliveries">
      {running === undefined ? (
        <RecoverForm endpoint={endpoint} onRunning={setRunning} onCancel={close} />
      ) : (
        <RecoverProgress endpoint={endpoint} running={running} onClose={close} />
      )}
    </Dialog>
  );
}

interface Running {
  readonly since: string;
  readonly resent: number;
}

/** Undefined for an incomplete time. */
function sinceOf(span: string, typed: string, now: number): string | undefined {
  if (span !== 'custom') return isoOf(now - Number(span));
  const ms = new Date(typed).getTime();
  return Number.isNaN(ms) ? undefined : isoOf(ms);
}

function RecoverForm({
  endpoint,
  onRunning,
  onCancel,
}: {
  readonly endpoint: Endpoint;
  readonly onRunning: (running: Running) => void;
  readonly onCancel: () => void;
}) {
  const [span, setSpan] = useState(spans[1]?.value ?? '');
  const [typed, setTyped] = useState('');
  // One moment for the whole dialog, so that what was counted is what is resent.
  const [opened] = useState(useAccountNow());
  const since = sinceOf(span, typed, opened);
  const params = { id: endpoint.id };
  const found = useCall(
    'retrieveRecovery',
    { params, query: { since: since ?? '' } },
    { enabled: since !== undefined, keep: true },
  );
  const recover = useChange('recoverDeliveries', [
    'listDeliveries',
    'retrieveWebhookEndpoint',
    'retrieveRecovery',
  ]);
  const failed = since === undefined ? undefined : found.data?.failed;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (since === undefined || failed === undefined || failed === 0 || recover.isPending) return;
    recover.mutate({ params, body: { since } }, { onSuccess: ({ resent }) => onRunning({ since, resent }) });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Events of">
        <Select choices={spans} value={span} onChange={(event) => setSpan(event.target.value)} />
      </Field>
      {span === 'custom' && (
        <Field
          label="Since"
          error={since === undefined && typed !== '' ? 'Enter a day and a time.' : undefined}
        >
          <TextInput type="datetime-local" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      )}
      <p role="status" className="text-text-2">
        {failed === undefined
          ? 'Choose since when.'
          : failed === 0
            ? 'No delivery of these events has failed for good.'
            : `${failures(failed)} will be sent once more, with the same event and body and a fresh signature.`}
      </p>
      <ErrorNote error={recover.error ?? found.error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={recover.isPending}
          unavailable={failed === undefined || failed === 0 ? 'There is nothing to send.' : undefined}
        >
          {failed === undefined || failed === 0 ? 'Send again' : `Send ${failed} again`}
        </Button>
      </DialogActions>
    </form>
  );
}

function RecoverProgress({
  endpoint,
  running: { since, resent },
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly running: Running;
  readonly onClose: () => void;
}) {
  const query = { since };
  const state = useCall('retrieveRecovery', { params: { id: endpoint.id }, query }, { every: 1000 }).data;
  if (state === undefined) return <SkeletonLines of="the progress" lines={3} />;
  const tried = Math.max(0, resent - state.waiting);
  const stillBad = state.retrying + state.failed;
  return (
    <div className="flex flex-col gap-4">
      <Progress label="Sent again" value={tried} max={resent} text={`${tried} of ${resent}`} />
      <p role="status" className="text-text-2">
        {state.waiting > 0
          ? 'Sending…'
          : stillBad === 0
            ? 'All of them were delivered.'
            : `${countOf(stillBad, 'delivery', 'deliveries')} failed again: your receiver still refuses them. ${state.retrying > 0 ? 'They are tried again by the usual schedule.' : ''}`}
      </p>
      <p className="text-sm text-text-3">You can close this: the sending goes on.</p>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </div>
  );
}
