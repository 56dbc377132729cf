import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Answer } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { millisecondsOf } from '../../../lib/amounts/time.ts';
import { now } from '../../../lib/browser/clock.ts';

export type ApiKey = Answer<'listApiKeys'>['data'][number];

const recentMs = 24 * 3_600_000;

/** Revokes a key, after showing when it was last used. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal();
  const onClose = () => setOpen(false);
  const revoke = useDialogChange('revokeApiKey', ['listApiKeys'], { open, onClose });
  const name = apiKey.name ?? apiKey.hint;
  return (
    <>
      <Button size="sm" unavailable={refusal('revokeApiKey')} onClick={() => setOpen(true)}>
        Revoke
        <span className="sr-only"> the key {name}</span>
      </Button>
      <ConfirmDialog
        open={open}
        onClose={onClose}
        title={`Revoke ${name}?`}
        action="Revoke key"
        busy={revoke.busy}
        error={revoke.error}
        onConfirm={() =>
          revoke.send({ params: { id: apiKey.id } }, (_, close) => {
            close();
            toast(`The key ${name} was revoked`);
          })
        }
      >
        <KeyValue
          pairs={[
            { key: 'Key', value: <code className="font-mono text-sm">{apiKey.hint}</code> },
            { key: 'Last used', value: <LastUse at={apiKey.last_used_at} /> },
          ]}
        />
        <p>The very next request with it is refused. A revoked key never works again.</p>
      </ConfirmDialog>
    </>
  );
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return 'Never';
  const recent = now() - millisecondsOf(at) < recentMs;
  return (
    <>
      <Time at={at} />
      {recent && (
        <span className="mt-1 flex gap-1.5 text-warn">
          <Icon of={TriangleAlert} className="mt-0.5 size-4" />
          It is in use: whatever uses it will fail.
        </span>
      )}
    </>
  );
}
