import { Checkbox, RadioGroup, Switch } from '../../../components/forms/choices.tsx';
import { ErrorText, Field } from '../../../components/forms/field.tsx';
import { Select } from '../../../components/forms/inputs.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import { useFilterChoices } from '../use-filter-choices.ts';
import type { Endpoint } from './endpoint-state.tsx';

/** The settings of an endpoint other than its URL and name. */
export type EndpointOptions = Pick<
  Endpoint,
  'additional_events' | 'event_types' | 'payload' | 'secret_overlap_seconds'
>;

/** The settings of an endpoint for which nothing else was chosen. */
export const defaultOptions: EndpointOptions = {
  additional_events: false,
  event_types: null,
  payload: 'full',
  secret_overlap_seconds: 0,
};

/** The events that an endpoint can receive in addition to final outcomes. */
export const additionalEventsHint =
  'Without it: succeeded and failed payments and refunds. With it also payments that wait for their buyer, are authorized or voided, and everything about disputes, payment links and approvals.';

const hourSeconds = 3600;
const overlaps = [0, hourSeconds, 24 * hourSeconds, 7 * 24 * hourSeconds];

/** A whole number of seconds in words: `24 hours`. */
export function overlapWords(seconds: number): string {
  if (seconds % hourSeconds !== 0) return countOf(Math.ceil(seconds / 60), 'minute');
  const hours = seconds / hourSeconds;
  return hours > 24 && hours % 24 === 0 ? countOf(hours / 24, 'day') : countOf(hours, 'hour');
}

const overlapLabel = (seconds: number) =>
  seconds === 0 ? 'The old secret ends at once' : `Both secrets sign for ${overlapWords(seconds)}`;

/** The events that an endpoint receives, in words. */
export function eventsWords({ event_types: types, additional_events: all }: EndpointOptions): string {
  if (types === null) return all ? 'All types' : 'Final outcomes';
  return types.length > 2 ? `${types.length} types` : types.join(', ');
}

const payloads = [
  { value: 'full', label: 'The whole object', hint: 'As retrieve shows it.' },
  {
    value: 'thin',
    label: 'Its id alone',
    hint: 'Nothing about people or amounts leaves: fetch it by the API.',
  },
];

/**
 * The form fields for the events that an endpoint receives, the contents of those events, and the rolling of its
 * secret.
 */
export function EndpointOptionFields({
  value,
  error,
  onChange,
}: {
  readonly value: EndpointOptions;
  /** The validation error of the chosen types. */
  readonly error: string | undefined;
  readonly onChange: (changes: Partial<EndpointOptions>) => void;
}) {
  const overlap = value.secret_overlap_seconds;
  const seconds = overlaps.includes(overlap) ? overlaps : [...overlaps, overlap];
  return (
    <>
      {value.event_types === null && (
        <Switch
          label="Additional events"
          hint={additionalEventsHint}
          checked={value.additional_events}
          onChange={(checked) => onChange({ additional_events: checked })}
        />
      )}
      <TypeFilter
        types={value.event_types}
        error={error}
        onChange={(types) => onChange({ event_types: types })}
      />
      <RadioGroup
        legend="What an event holds"
        name="endpoint-payload"
        choices={payloads}
        value={value.payload}
        onChange={(payload) => onChange({ payload: payload === 'thin' ? 'thin' : 'full' })}
      />
      <Field
        label="When the secret is rolled"
        hint="While both sign, your server may take the new secret at any time without refusing a message."
      >
        <Select
          choices={seconds.map((one) => ({ value: String(one), label: overlapLabel(one) }))}
          value={String(overlap)}
          onChange={(event) => onChange({ secret_overlap_seconds: Number(event.target.value) })}
        />
      </Field>
    </>
  );
}

/** Chooses types of events, one by one or by group. */
function TypeFilter({
  types,
  error,
  onChange,
}: {
  readonly types: Endpoint['event_types'];
  readonly error: string | undefined;
  readonly onChange: (types: string[] | null) => void;
}) {
  const known = useFilterChoices()
    .event_types.map(({ value }) => value)
    .filter((type) => type !== 'endpoint.test');
  const groups = [...new Set(known.map((type) => `${type.split('.')[0]}.*`))];
  const toggle = (type: string, chosen: boolean) =>
    onChange(chosen ? [...(types ?? []), type] : (types ?? []).filter((one) => one !== type));
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Only some types"
        hint="Other events stay in the log and are not sent. A group such as payment.* takes types that are added later."
        checked={types !== null}
        onChange={(checked) => onChange(checked ? ['payment.*'] : null)}
      />
      {types !== null && (
        <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3 [overflow-wrap:anywhere]">
          <legend className="px-1 text-sm font-medium">Types of events</legend>
          {groups.map((group) => {
            const whole = types.includes(group);
            const members = known.filter((type) => type.startsWith(group.slice(0, -1)));
            return (
              <div key={group} className="flex flex-col gap-1.5">
                <Checkbox
                  label={<code className="font-mono text-sm">{group}</code>}
                  checked={whole}
                  onChange={(event) => toggle(group, event.target.checked)}
                />
                {!whole && (
                  <div className="grid gap-1.5 pl-6 sm:grid-cols-2">
                    {members.map((type) => (
                      <Checkbox
                        key={type}
                        label={<code className="font-mono text-sm">{type}</code>}
                        checked={types.includes(type)}
                        onChange={(event) => toggle(type, event.target.checked)}
                      />
                    ))}
                  </div>
                )}
              </div>
            );
          })}
        </fieldset>
      )}
      <div aria-live="polite">{error !== undefined && <ErrorText>{error}</ErrorText>}</div>
    </div>
  );
}
