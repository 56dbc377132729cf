import { fieldError } from '../../components/feedback/error-state.tsx';
import { RadioGroup } from '../../components/forms/choices.tsx';
import { Field } from '../../components/forms/field.tsx';
import { DateInput, Textarea, TextInput } from '../../components/forms/inputs.tsx';
import type { LinkForm } from './link-form.ts';

/** The fields that the forms for a new and for an existing link share. */
export type SharedForm = Pick<LinkForm, 'title' | 'description' | 'usage' | 'times' | 'lastDay'>;

interface Part<Name extends keyof SharedForm> {
  readonly form: Pick<SharedForm, Name>;
  readonly set: (change: Partial<Pick<SharedForm, Name>>) => void;
}

interface FaultyPart<Name extends keyof SharedForm> extends Part<Name> {
  readonly faults: { readonly [Field in Name]?: string | undefined };
}

export function TitleField({ form, set, faults }: FaultyPart<'title'>) {
  return (
    <Field
      label="What is paid for"
      hint="On the page, on the receipt and on each payment."
      error={faults.title}
      required
    >
      <TextInput
        name="link-title"
        autoComplete="off"
        maxLength={120}
        value={form.title}
        onChange={({ target }) => set({ title: target.value })}
      />
    </Field>
  );
}

export function DescriptionField({ form, set }: Part<'description'>) {
  return (
    <Field label="More about it" hint="On the page, below the heading." optional>
      <Textarea
        rows={2}
        maxLength={1000}
        value={form.description}
        onChange={({ target }) => set({ description: target.value })}
      />
    </Field>
  );
}

const usages = [
  { value: 'many', label: 'Any number of times' },
  { value: 'once', label: 'Once, like an invoice' },
  { value: 'some', label: 'Up to a number of times' },
];

export function UsageFields({ form, set, faults }: FaultyPart<'usage' | 'times'>) {
  return (
    <>
      <RadioGroup
        legend="It can be paid"
        name="link-usage"
        choices={usages}
        value={form.usage}
        onChange={(usage) => set({ usage })}
      />
      {form.usage === 'some' && (
        <Field label="How often" error={faults.times} required>
          <TextInput
            name="link-times"
            inputMode="numeric"
            autoComplete="off"
            value={form.times}
            onChange={({ target }) => set({ times: target.value })}
          />
        </Field>
      )}
    </>
  );
}

/** @param error the error of the request that sent the field */
export function LastDayField({ form, set, error }: Part<'lastDay'> & { readonly error: Error | null }) {
  return (
    <Field label="Last day" hint="After it nobody can pay." error={fieldError(error, 'expires_at')} optional>
      <DateInput value={form.lastDay} onChange={({ target }) => set({ lastDay: target.value })} />
    </Field>
  );
}
