import { TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { DialogActions } from '../../../components/overlays/dialog.tsx';
import { defaultOptions, EndpointOptionFields, type EndpointOptions } from './endpoint-options.tsx';
import { isPlainHttp } from './endpoint-state.tsx';
import { isPrivateAddress } from './private-address.ts';

export interface EndpointInput extends EndpointOptions {
  readonly url: string;
  /** The name that the merchant chose; null if there is none. */
  readonly name: string | null;
}

/** The initial values for a new endpoint. */
export const emptyEndpoint: EndpointInput = { url: '', name: null, ...defaultOptions };

function faultOf(url: string): string | undefined {
  if (url.trim() === '') return 'Enter the address of your receiver.';
  return /^https?:\/\/\S+$/i.test(url.trim())
    ? undefined
    : 'Enter an address that begins with https:// or http://.';
}

const Warning = ({ children }: { readonly children: ReactNode }) => (
  <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
    <Icon of={TriangleAlert} className="mt-0.5 size-4" />
    <span>{children}</span>
  </p>
);

/** The part of an endpoint that the form edits. */
const inputOf = (endpoint: EndpointInput): EndpointInput => ({
  url: endpoint.url,
  name: endpoint.name,
  additional_events: endpoint.additional_events,
  event_types: endpoint.event_types,
  payload: endpoint.payload,
  secret_overlap_seconds: endpoint.secret_overlap_seconds,
});

const changesOf = (before: EndpointInput, input: EndpointInput): Partial<EndpointInput> =>
  Object.fromEntries(
    Object.entries(input).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof EndpointInput]),
    ),
  );

/** The form for the URL, the name and the events of a new or existing endpoint. */
export function EndpointForm({
  initial,
  action,
  busy,
  error,
  onSubmit,
  onCancel,
}: {
  readonly initial: EndpointInput;
  /** The button's label. */
  readonly action: string;
  readonly busy: boolean;
  readonly error: Error | null;
  /**
   * @param changes the fields that differ from the form's initial values, so that changes that others made meanwhile
   * are kept
   */
  readonly onSubmit: (input: EndpointInput, changes: Partial<EndpointInput>) => void;
  readonly onCancel: () => void;
}) {
  const [before] = useState(() => inputOf(initial));
  const [url, setUrl] = useState(before.url);
  const [name, setName] = useState(before.name ?? '');
  const [options, setOptions] = useState<EndpointOptions>(before);
  const [tried, setTried] = useState(false);
  const fault = faultOf(url);
  const noTypes = options.event_types?.length === 0 ? 'Choose at least one type.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined || noTypes !== undefined || busy) return;
    const input = inputOf({ ...options, url: url.trim(), name: name.trim() || null });
    onSubmit(input, changesOf(before, input));
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Address" error={(tried ? fault : undefined) ?? fieldError(error, 'url')} required>
        <TextInput
          type="url"
          name="endpoint-url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://shop.example/webhooks"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <div role="status" className="flex flex-col gap-2">
        {isPlainHttp(url) && (
          <Warning>
            This address is not encrypted: everybody on the way can read what is sent. Use https:// for
            anything but trying out.
          </Warning>
        )}
        {isPrivateAddress(url, location.hostname) && (
          <Warning>
            This is an address of a private network. Till sends there only where its operator names it in{' '}
            <code className="font-mono">TILL_WEBHOOK_ALLOW_CIDRS</code>.
          </Warning>
        )}
      </div>
      <Field label="Name" hint="Tells endpoints of one address apart. May stay empty.">
        <TextInput
          name="endpoint-name"
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <EndpointOptionFields
        value={options}
        error={(tried ? noTypes : undefined) ?? fieldError(error, 'event_types')}
        onChange={(changes) => setOptions({ ...options, ...changes })}
      />
      <ErrorNote error={error} fields={['url', 'event_types']} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
