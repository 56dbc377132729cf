import { type FormEvent, useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Checkbox } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select, TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { useAccountNow } from '../../../components/values/account-clock.tsx';
import { isoOf, isoOfClock } from '../../../lib/amounts/time.ts';
import { timeZone } from '../../../lib/amounts/zone.ts';
import { countOf, countText } from '../../../lib/wording/plural.ts';
import { useFilterChoices } from '../use-filter-choices.ts';
import type { Endpoint } from './endpoint-state.tsx';
import { RecoverProgress, type RunningRecovery, recoveryRefreshes } from './recover-progress.tsx';

const hourMs = 3_600_000;
const spans = [
  { value: String(hourMs), label: 'the last hour' },
  { value: String(24 * hourMs), label: 'the last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'the last 7 days' },
  { value: String(30 * 24 * hourMs), label: 'the last 30 days' },
  { value: 'custom', label: 'a time of your choice' },
];
const speeds = [
  { value: '10', label: '10 a second' },
  { value: '50', label: '50 a second' },
  { value: '200', label: '200 a second' },
  { value: '500', label: '500 a second' },
];

/** Resends deliveries that wait for a later attempt or have failed for good, and shows the progress. */
export function RecoverDialog({
  endpoint,
  open,
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [running, setRunning] = useState<RunningRecovery>();
  const close = () => {
    onClose();
    setRunning(undefined);
  };
  return (
    <Dialog open={open} onClose={close} title="Send waiting and failed deliveries">
      {running === undefined ? (
        <RecoverForm endpoint={endpoint} onRunning={setRunning} onCancel={close} />
      ) : (
        <RecoverProgress endpoint={endpoint} running={running} onClose={close} />
      )}
    </Dialog>
  );
}

/** The values of the form and the query that they result in. `since` is undefined while the form is incomplete. */
function useRecoverForm() {
  const [span, setSpan] = useState(spans[1]?.value ?? '');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [type, setType] = useState('');
  const [speed, setSpeed] = useState('50');
  const [replay, setReplay] = useState(false);
  // The same moment for the whole dialog, so that exactly the counted deliveries are resent.
  const [opened] = useState(useAccountNow());
  const isCustom = span === 'custom';
  const until = isCustom ? isoOfClock(to) : undefined;
  return {
    span,
    setSpan,
    from,
    setFrom,
    to,
    setTo,
    type,
    setType,
    speed,
    setSpeed,
    replay,
    setReplay,
    isCustom,
    since: isCustom ? isoOfClock(from) : isoOf(opened - Number(span)),
    rest: { ...(until === undefined ? {} : { until }), ...(type === '' ? {} : { type }) },
  };
}

type RecoverFormState = ReturnType<typeof useRecoverForm>;

function RecoverForm({
  endpoint,
  onRunning,
  onCancel,
}: {
  readonly endpoint: Endpoint;
  readonly onRunning: (running: RunningRecovery) => void;
  readonly onCancel: () => void;
}) {
  const form = useRecoverForm();
  const { since, rest, replay } = form;
  const params = { id: endpoint.id };
  const found = useCall(
    'retrieveRecovery',
    { params, query: { since: since ?? '', ...rest } },
    { enabled: since !== undefined, keep: true },
  );
  const dialog = { open: true, onClose: onCancel };
  const recover = useDialogChange('recoverDeliveries', recoveryRefreshes, dialog);
  const count =
    since === undefined || found.data === undefined ? undefined : found.data.failed + found.data.retrying;
  const isEmpty = !replay && (count === undefined || count === 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (since === undefined || isEmpty) return;
    const { type, ...range } = rest;
    const types = type === undefined ? {} : { types: [type] };
    const body = { since, ...range, ...types, replay, per_second: Number(form.speed) };
    recover.send({ params, body }, ({ resent }, _close, isOpen) => {
      if (isOpen) onRunning({ since, ...rest, resent });
      else toast(`${countOf(resent, 'delivery', 'deliveries')} will be sent once more`);
    });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <RecoverFields form={form} />
      <p role="status" className="text-text-2">
        {count === undefined || found.data === undefined
          ? 'Choose since when.'
          : replay
            ? 'Every event of that time which the endpoint asks for is sent once more, at most 100,000 at once. Your receiver must stand repeats.'
            : count === 0
              ? 'No delivery of these events waits for a later attempt or has failed for good.'
              : `${countOf(count, 'delivery', 'deliveries')} (${countText(found.data.retrying)} waiting, ${countText(found.data.failed)} failed) will be sent once more, with the same event and body and a fresh signature.`}
      </p>
      <ErrorNote error={recover.error ?? found.error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={recover.busy}
          unavailable={since === undefined || isEmpty ? 'There is nothing to send.' : undefined}
        >
          {replay || count === undefined || count === 0 ? 'Send again' : `Send ${countText(count)} again`}
        </Button>
      </DialogActions>
    </form>
  );
}

function RecoverFields({ form }: { readonly form: RecoverFormState }) {
  const { event_types: types } = useFilterChoices();
  const { span, setSpan, from, setFrom, to, setTo, isCustom } = form;
  return (
    <>
      <Field label="Events of">
        <Select choices={spans} value={span} onChange={(event) => setSpan(event.target.value)} />
      </Field>
      {isCustom && (
        <>
          <Field
            label="Since"
            hint={`In the time zone of the account, ${timeZone()}.`}
            error={form.since === undefined && from !== '' ? 'Enter a day and a time.' : undefined}
          >
            <TextInput type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} />
          </Field>
          <Field label="Until" hint="Empty: until now.">
            <TextInput type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
          </Field>
        </>
      )}
      <Field label="Type">
        <Select
          choices={types}
          empty="All types"
          value={form.type}
          onChange={(event) => form.setType(event.target.value)}
        />
      </Field>
      <Checkbox
        label="Also what was delivered"
        hint="For a receiver that lost what it had taken, or an endpoint that was added later."
        checked={form.replay}
        onChange={(event) => form.setReplay(event.target.checked)}
      />
      <Field label="Speed" hint="At most so many become due: what your receiver can take.">
        <Select choices={speeds} value={form.speed} onChange={(event) => form.setSpeed(event.target.value)} />
      </Field>
    </>
  );
}
