import { fieldError } from '../../../components/feedback/error-state.tsx';
import { ErrorText, Field } from '../../../components/forms/field.tsx';
import { DateInput, Select, Textarea, TextInput } from '../../../components/forms/inputs.tsx';
import { choicesOf, faultsOf, type Resource, type RestrictionForm, resources } from './restriction.ts';

/** The fields of a restricted key. */
export function RestrictionFields({
  form,
  onChange,
  tried,
  error,
}: {
  readonly form: RestrictionForm;
  readonly onChange: (form: RestrictionForm) => void;
  /** Whether the person has tried to submit the form, so that validation errors are shown. */
  readonly tried: boolean;
  readonly error: Error | null;
}) {
  const faults = tried ? faultsOf(form) : {};
  const give = ({ name }: Resource, permission: string) =>
    onChange({ ...form, given: { ...form.given, [name]: permission } });
  return (
    <>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">Permissions</legend>
        <div className="grid gap-3 sm:grid-cols-2">
          {resources.map((resource) => (
            <Field key={resource.name} label={resource.label}>
              <Select
                name={`may-${resource.name}`}
                choices={choicesOf(resource)}
                value={form.given[resource.name] ?? ''}
                onChange={(event) => give(resource, event.target.value)}
              />
            </Field>
          ))}
        </div>
        <div aria-live="polite" className="empty:absolute">
          {faults.given !== undefined && <ErrorText>{faults.given}</ErrorText>}
        </div>
      </fieldset>
      <LimitFields form={form} onChange={onChange} faults={faults} />
      <Field
        label="Last day"
        hint="In UTC. From then on it is refused like a revoked key."
        error={fieldError(error, 'restriction.ends_at')}
        optional
      >
        <DateInput
          name="key-end"
          value={form.endsOn}
          onChange={(event) => onChange({ ...form, endsOn: event.target.value })}
        />
      </Field>
      <Field
        label="Addresses"
        hint="IPv4 or IPv6 addresses or networks (203.0.113.0/24), one on each line. From elsewhere it is refused."
        error={fieldError(error, 'restriction.addresses')}
        optional
      >
        <Textarea
          name="key-addresses"
          rows={2}
          value={form.addresses}
          onChange={(event) => onChange({ ...form, addresses: event.target.value })}
        />
      </Field>
    </>
  );
}

function LimitFields({
  form,
  onChange,
  faults,
}: {
  readonly form: RestrictionForm;
  readonly onChange: (form: RestrictionForm) => void;
  readonly faults: ReturnType<typeof faultsOf>;
}) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Most at once"
        hint="In minor units: 5000 is 50.00 €. For each payment, capture and refund."
        error={faults.maxAmount}
        optional
      >
        <TextInput
          name="key-max-amount"
          inputMode="numeric"
          autoComplete="off"
          value={form.maxAmount}
          onChange={(event) => onChange({ ...form, maxAmount: event.target.value })}
        />
      </Field>
      <Field
        label="Most on one day"
        hint="In minor units, each currency by itself; days are UTC."
        error={faults.maxDaily}
        optional
      >
        <TextInput
          name="key-max-daily"
          inputMode="numeric"
          autoComplete="off"
          value={form.maxDaily}
          onChange={(event) => onChange({ ...form, maxDaily: event.target.value })}
        />
      </Field>
      <Field
        className="sm:col-span-2"
        label="Wait for approval above"
        hint="In minor units. A refund, capture or payment link above it waits until an owner or admin approves it; 0: each one."
        error={faults.approvalAbove}
        optional
      >
        <TextInput
          name="key-approval-above"
          inputMode="numeric"
          autoComplete="off"
          value={form.approvalAbove}
          onChange={(event) => onChange({ ...form, approvalAbove: event.target.value })}
        />
      </Field>
    </div>
  );
}
