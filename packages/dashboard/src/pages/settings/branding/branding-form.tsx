import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select, TextInput } from '../../../components/forms/inputs.tsx';
import { ConcurrentChanges } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { ColourNote } from './colour-note.tsx';
import type { Branding } from './use-branding-draft.ts';
import { type BrandingDraft, colourOf } from './use-branding-draft.ts';

const maxNameLength = 100;
const labels = { name: 'Shop name', colour: 'Colour', language: 'Default language' } as const;
const fields = ['display_name', 'colour', 'default_locale'];

/** Name, colour and language of the checkout page. */
export function BrandingForm({
  branding,
  draft,
  accountName,
}: {
  readonly branding: Branding;
  readonly draft: BrandingDraft;
  readonly accountName: string;
}) {
  const { values, set, refusal, error } = draft;
  return (
    <Card
      title="Look and language"
      description="There is no CSS and no script of your own: every page stays readable."
    >
      <form onSubmit={draft.submit} noValidate className="flex max-w-md flex-col gap-4">
        <Field
          label={labels.name}
          hint={
            <>
              As buyers read it. Empty: the account's name, <bdi>{accountName}</bdi>.
            </>
          }
          error={fieldError(error, 'display_name')}
          optional
        >
          <TextInput
            name="shop-name"
            autoComplete="off"
            maxLength={maxNameLength}
            readOnly={refusal !== undefined}
            value={values.name}
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        <div className="flex flex-col gap-1.5">
          <ColourField draft={draft} />
          <ColourNote colour={colourOf(values.colour)} colours={draft.colours} />
        </div>
        <Field
          label={labels.language}
          hint="Buyers read the page in their own language where it is one of these. The others read this one."
          error={fieldError(error, 'default_locale')}
          optional
        >
          <Select
            empty="None: English"
            disabled={refusal !== undefined}
            value={values.language}
            onChange={({ target }) => set({ language: target.value })}
            choices={branding.languages.map(({ tag, name }) => ({ value: tag, label: name }))}
          />
        </Field>
        <ConcurrentChanges draft={draft} labelOf={(name) => labels[name as keyof typeof labels]} />
        <ErrorNote error={error} fields={fields} />
        <div>
          <Button type="submit" variant="primary" busy={draft.busy} unavailable={refusal ?? draft.unchanged}>
            Save branding
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Chooses a colour by its hexadecimal digits or with the browser's colour picker. */
function ColourField({
  draft: { values, set, colours, colourError, refusal },
}: {
  readonly draft: BrandingDraft;
}) {
  const typed = colourOf(values.colour);
  const shown = typed === undefined || typed === '' ? colours.colour : typed;
  return (
    <Field
      label={labels.colour}
      hint={`For the button and links, like #0b57d0. Empty: the page's own.`}
      error={colourError}
      optional
    >
      <span className="flex gap-2">
        <TextInput
          name="colour"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={20}
          className="max-w-36 font-mono"
          readOnly={refusal !== undefined}
          value={values.colour}
          onChange={({ target }) => set({ colour: target.value })}
        />
        <input
          type="color"
          aria-label="Choose the colour"
          disabled={refusal !== undefined}
          value={shown}
          onChange={({ target }) => set({ colour: target.value })}
          className="control h-9 w-14 cursor-pointer p-1"
        />
      </span>
    </Field>
  );
}
