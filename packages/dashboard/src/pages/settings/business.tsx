import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { useProcessor, useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select, TextInput } from '../../components/forms/inputs.tsx';
import { ConcurrentChanges, useDraft } from '../../components/forms/use-draft.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Badge } from '../../components/values/badge.tsx';
import { CopyId } from '../../components/values/copy-button.tsx';
import { KeyValue } from '../../components/values/key-value.tsx';
import { Time } from '../../components/values/time.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { WithSettings } from './settings-card.tsx';
import { SettingsPage } from './settings-page.tsx';
import { activations, environments, type Settings } from './settings-words.ts';

/** The name and the facts of the business. */
export const BusinessPage = () => (
  <SettingsPage page="business" description="What this workspace is, and what buyers call it.">
    <WithSettings>
      {(settings) => (
        <>
          <NameCard name={settings.name} />
          <TimeZoneCard settings={settings} />
          <FactsCard settings={settings} />
        </>
      )}
    </WithSettings>
  </SettingsPage>
);

const maxNameLength = 255;

function NameCard({ name }: { readonly name: string }) {
  const paths = usePaths();
  const refusal = useRefusal()('updateBusiness');
  const save = useChange('updateBusiness', ['retrieveSettings', 'retrieveSession', 'retrieveWorkspace']);
  const draft = useDraft({ name });
  const text = draft.typed.name;
  const [tried, setTried] = useState(false);
  const fault = text.trim() === '' ? 'Enter a name.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (save.isPending || fault !== undefined || refusal !== undefined) return;
    save.mutate({ body: { name: text.trim() } }, { onSuccess: () => toast('Name saved') });
  };
  return (
    <Card
      title="Account name"
      description={
        <>
          Your team reads it here. Buyers read it on the checkout page, unless{' '}
          <Link to={paths.settings('branding')}>Branding</Link> names the shop otherwise.
        </>
      }
    >
      <form onSubmit={submit} noValidate className="flex max-w-md flex-col gap-4">
        <Field
          label="Name"
          error={(tried ? fault : undefined) ?? fieldError(save.error, 'name')}
          hint="To change it here does not change what stands on card statements."
          required
        >
          <TextInput
            name="account-name"
            autoComplete="organization"
            maxLength={maxNameLength}
            readOnly={refusal !== undefined}
            value={text}
            onChange={(event) => draft.set({ name: event.target.value })}
          />
        </Field>
        <ConcurrentChanges draft={draft} labelOf={() => name} />
        <ErrorNote error={save.error} fields={['name']} />
        <div>
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending}
            unavailable={refusal ?? (text.trim() === name ? 'The name has not been changed.' : undefined)}
          >
            Save name
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** The time zone for accounting and for the times on all pages. */
function TimeZoneCard({ settings: { time_zone: zone } }: { readonly settings: Settings }) {
  const refusal = useRefusal()('updateBusiness');
  const save = useChange('updateBusiness', [
    'retrieveSettings',
    'retrieveSession',
    'retrieveWorkspace',
    'retrieveLedger',
  ]);
  const draft = useDraft({ zone });
  const chosen = draft.typed.zone;
  const zones = [...new Set(['UTC', zone, chosen, ...Intl.supportedValuesOf('timeZone')])];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending || refusal !== undefined) return;
    save.mutate({ body: { time_zone: chosen } }, { onSuccess: () => toast('Time zone saved') });
  };
  return (
    <Card
      title="Time zone"
      description="Pages, mails and files have their times in it, and the ledger counts days and months in it."
    >
      <form onSubmit={submit} noValidate className="flex max-w-md flex-col gap-4">
        <Field label="Time zone" error={fieldError(save.error, 'time_zone')}>
          <Select
            choices={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
            value={chosen}
            onChange={(event) => draft.set({ zone: event.target.value })}
          />
        </Field>
        <ConcurrentChanges draft={draft} labelOf={() => zone.replaceAll('_', ' ')} />
        <ErrorNote error={save.error} fields={['time_zone']} />
        <div>
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending}
            unavailable={refusal ?? (chosen === zone ? 'The time zone has not been changed.' : undefined)}
          >
            Save time zone
          </Button>
        </div>
      </form>
    </Card>
  );
}

function FactsCard({ settings }: { readonly settings: Settings }) {
  const paths = usePaths();
  const { word, tone, text } = activations[settings.activation];
  const environment = environments[settings.environment];
  const processor = useProcessor();
  return (
    <Card title="Account">
      <KeyValue
        pairs={[
          { key: 'Account id', value: <CopyId id={settings.id} what="Account id" /> },
          {
            key: 'Live payments',
            value: (
              <>
                <Badge tone={tone}>{word}</Badge>
                <p className="mt-1 max-w-prose text-text-2">{text}</p>
              </>
            ),
          },
          {
            key: 'Environment',
            value: (
              <>
                <Badge tone={environment.tone}>{environment.word}</Badge>
                <p className="mt-1 text-text-2">
                  {environment.text} <Link to={paths.settings('environment')}>Change the environment</Link>
                </p>
              </>
            ),
          },
          {
            key: 'Processor',
            value: (
              <>
                {processor?.name}
                <p className="text-text-2">{processor?.does} Fixed when the account was opened.</p>
              </>
            ),
          },
          { key: 'Opened', value: <Time at={settings.created_at} /> },
        ]}
      />
    </Card>
  );
}
