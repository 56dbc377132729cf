import { useState } from 'react';
import { useRefusal, useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select } from '../../../components/forms/inputs.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { Time } from '../../../components/values/time.tsx';
import { now } from '../../../lib/browser/clock.ts';
import { useReveal } from '../use-reveal.ts';
import type { ApiKey } from './revoke-key.tsx';

const hour = 3600;
const day = 24 * hour;

/** For how many seconds the old key keeps working. */
const overlaps = [
  { value: String(hour), label: 'In an hour' },
  { value: String(day), label: 'In 24 hours' },
  { value: String(3 * day), label: 'In 3 days' },
  { value: String(7 * day), label: 'In 7 days' },
  { value: String(30 * day), label: 'In 30 days' },
  { value: '0', label: 'At once' },
] as const;

/**
 * Replaces a key with a new one and says how long the old one works. The component stands beside the list, because the
 * row of the key changes while the new secret is still shown.
 * @param apiKey the key to roll; undefined if the dialog is closed
 */
export function RollKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}) {
  const [overlap, setOverlap] = useState<string>(String(day));
  const rolled = useReveal('rollApiKey', ['listApiKeys'], { open: apiKey !== undefined, onClose });
  const name = apiKey?.name ?? apiKey?.hint ?? '';
  const ends = new Date(now() + Number(overlap) * 1000).toISOString();
  const close = () => {
    onClose();
    rolled.forget();
  };
  return (
    <>
      <ConfirmDialog
        open={apiKey !== undefined}
        onClose={close}
        title={`Roll ${name}?`}
        action="Roll key"
        danger={false}
        busy={rolled.busy}
        error={rolled.error}
        onConfirm={() =>
          apiKey !== undefined &&
          rolled.run({ params: { id: apiKey.id }, body: { expires_in: Number(overlap) } })
        }
      >
        <p>A new key of the same name is made and shown once. Put it where the old one is, in time.</p>
        <Field label="The old key expires">
          <Select choices={overlaps} value={overlap} onChange={(event) => setOverlap(event.target.value)} />
        </Field>
        <p>
          {overlap === '0' ? (
            'The very next request with it is refused with 401, as with a revoked key.'
          ) : (
            <>
              Requests with it are refused with 401 from <Time at={ends} /> on.
            </>
          )}
        </p>
      </ConfirmDialog>
      <RevealOnce
        title={`The new key ${rolled.answer?.key.name ?? ''}`}
        what="Secret key"
        secret={rolled.answer?.secret_key}
        onSaved={rolled.forget}
      >
        Put it into your server's environment or secret store. Never into a browser, an app or a repository.
      </RevealOnce>
    </>
  );
}

/** The button that opens the dialog for rolling a key. */
export function RollButton({ apiKey, onRoll }: { readonly apiKey: ApiKey; readonly onRoll: () => void }) {
  const refusal = useRefusal()('rollApiKey');
  const live = useWorkspace()?.livemode === true;
  return (
    <Button
      size="sm"
      unavailable={
        refusal !== undefined && live
          ? 'Owners and admins roll live keys: with one, real money moves.'
          : refusal
      }
      onClick={onRoll}
    >
      Roll
      <span className="sr-only"> the key {apiKey.name ?? apiKey.hint}</span>
    </Button>
  );
}
