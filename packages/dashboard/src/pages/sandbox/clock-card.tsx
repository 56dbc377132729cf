import { type FormEvent, useState } from 'react';
import { type Answer, useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select, TextInput } from '../../components/forms/inputs.tsx';
import { Card } from '../../components/layout/card.tsx';
import { useAccountNow } from '../../components/values/account-clock.tsx';
import { Time } from '../../components/values/time.tsx';
import { formatDuration } from '../../lib/amounts/time.ts';
import { ClockResult } from './clock-result.tsx';
import type { SandboxState } from './state.ts';
import { useRefreshAll } from './state.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const presets = [
  {
    label: '15 min',
    seconds: 15 * minute,
    text: 'The window for confirming closes: payments that wait for a buyer fail.',
  },
  { label: '24 h', seconds: day, text: 'Idempotency keys are forgotten and may be used anew.' },
  {
    label: '3 days',
    seconds: 3 * day,
    text: 'The guarantee of holds ends: a capture can be declined from then on.',
  },
  { label: '29 days', seconds: 29 * day, text: 'Holds end: they can be voided, no longer captured.' },
] as const;

type Moved = Answer<'advanceSandboxClock'>;

/** The account's clock, with controls to move it forward. */
export function ClockCard({ state }: { readonly state: SandboxState }) {
  const now = useAccountNow(1000);
  const advance = useChange('advanceSandboxClock');
  const refresh = useRefreshAll();
  const [moved, setMoved] = useState<Moved>();
  const move = (seconds: number) => {
    if (advance.isPending) return;
    advance.mutate(
      { body: { seconds } },
      {
        onSuccess(answer) {
          setMoved(answer);
          refresh();
          toast(`The clock moved on by ${formatDuration(seconds * 1000)}`);
        },
      },
    );
  };
  return (
    <Card
      title="Clock"
      description="Every deadline of this sandbox follows it. It only moves forward, for everybody in this workspace."
    >
      <p className="text-xl font-semibold tabular-nums [&_time]:whitespace-normal">
        <Time at={Math.floor(now / 1000)} />
      </p>
      <p className="text-sm text-text-2">
        {state.ahead_seconds === 0
          ? 'Real time'
          : `${formatDuration(state.ahead_seconds * 1000)} ahead of real time`}
      </p>
      <h3 className="mt-4 mb-2 text-sm font-medium">Move on by</h3>
      <ul className="flex flex-col gap-2">
        {presets.map(({ label, seconds, text }) => (
          <li key={label} className="flex items-start gap-3">
            <Button
              size="sm"
              className="w-20 shrink-0"
              busy={advance.isPending}
              onClick={() => move(seconds)}
            >
              {label}
            </Button>
            <span className="min-w-0 pt-1 text-sm text-text-2">{text}</span>
          </li>
        ))}
      </ul>
      <AmountForm busy={advance.isPending} error={advance.error} onMove={move} />
      <ErrorNote error={advance.error} fields={['seconds']} className="mt-3" />
      {moved !== undefined && <ClockResult moved={moved} />}
    </Card>
  );
}

const units = [
  { value: String(minute), label: 'minutes' },
  { value: String(hour), label: 'hours' },
  { value: String(day), label: 'days' },
] as const;

/** The maximum number of seconds, as in the contract. */
const maxSeconds = 315_360_000;

function AmountForm({
  busy,
  error,
  onMove,
}: {
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onMove: (seconds: number) => void;
}) {
  const [amount, setAmount] = useState('10');
  const [unit, setUnit] = useState<string>(String(day));
  const [tried, setTried] = useState(false);
  const seconds = Number(amount) * Number(unit);
  const valid = /^\d+$/.test(amount.trim()) && seconds >= 1 && seconds <= maxSeconds;
  const fault = valid ? undefined : 'Enter a whole number, up to ten years in all.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (valid && !busy) onMove(seconds);
  };
  return (
    <form onSubmit={submit} noValidate className="mt-4 border-t border-line pt-4">
      <div className="flex flex-wrap items-start gap-2">
        <Field
          label="Any amount"
          className="w-36"
          error={(tried ? fault : undefined) ?? fieldError(error, 'seconds')}
        >
          <TextInput
            inputMode="numeric"
            name="clock-amount"
            autoComplete="off"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        </Field>
        <Field label="Unit" className="w-28">
          <Select
            name="clock-unit"
            choices={units}
            value={unit}
            onChange={(event) => setUnit(event.target.value)}
          />
        </Field>
        <Button type="submit" className="mt-6.5" busy={busy}>
          Move the clock
        </Button>
      </div>
      <p className="mt-2 text-sm text-text-2">
        After 10 days, say, a dispute that nobody answered counts as accepted.
      </p>
    </form>
  );
}
