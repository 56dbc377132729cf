import { type FormEvent, useState } from 'react';
import { useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { type Reveal, useReveal } from '../use-reveal.ts';
import { emptyRestriction, faultsOf, restrictionOf } from './restriction.ts';
import { RestrictionFields } from './restriction-fields.tsx';

/** Creates a key and shows its secret once. */
export function CreateKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const made = useReveal('createApiKey', ['listApiKeys'], { open, onClose });
  const close = () => {
    onClose();
    made.forget();
  };
  return (
    <>
      <Dialog open={open} onClose={close} title="Create an API key">
        <CreateForm made={made} onCancel={close} />
      </Dialog>
      <RevealOnce
        title={`The key ${made.answer?.key.name ?? ''}`}
        what="Secret key"
        secret={made.answer?.secret_key}
        onSaved={made.forget}
      >
        Put it into your server's environment or secret store. Never into a browser, an app or a repository.
      </RevealOnce>
    </>
  );
}

const kinds = [
  { value: 'full', label: 'Everything', hint: 'For your own server.' },
  {
    value: 'restricted',
    label: 'Only what I choose',
    hint: 'For a partner, a script or an agent: a restricted key, with limits.',
  },
];

function CreateForm({
  made,
  onCancel,
}: {
  readonly made: Reveal<'createApiKey'>;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState('full');
  const [restriction, setRestriction] = useState(emptyRestriction);
  const [tried, setTried] = useState(false);
  const live = useWorkspace()?.livemode === true;
  const fault = name.trim() === '' ? 'Enter a name.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const restricts = kind === 'restricted';
    if (fault !== undefined || (restricts && Object.keys(faultsOf(restriction)).length > 0)) return;
    made.run({
      body: { name: name.trim(), ...(restricts ? { restriction: restrictionOf(restriction) } : {}) },
    });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="What will use it, such as “Shop server”. It is shown here and in the request logs."
        error={(tried ? fault : undefined) ?? fieldError(made.error, 'name')}
        required
      >
        <TextInput
          name="key-name"
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <RadioGroup legend="What it may do" name="key-kind" choices={kinds} value={kind} onChange={setKind} />
      {kind === 'restricted' && (
        <RestrictionFields form={restriction} onChange={setRestriction} tried={tried} error={made.error} />
      )}
      <p className="text-text-2">
        {live
          ? 'It will be a live key: requests with it move real money.'
          : 'It will be a sandbox key: nothing that it does moves money.'}
      </p>
      <ErrorNote error={made.error} fields={['name', 'restriction.ends_at', 'restriction.addresses']} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={made.busy}>
          Create key
        </Button>
      </DialogActions>
    </form>
  );
}
