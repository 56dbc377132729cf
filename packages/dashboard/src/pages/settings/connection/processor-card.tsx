import { useState } from 'react';
import { useProcessor, useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { Badge } from '../../../components/values/badge.tsx';
import type { Settings } from '../settings-words.ts';

/** Whether the account is connected to its processor, with buttons to disconnect and reconnect. */
export function ProcessorCard({ settings }: { readonly settings: Settings }) {
  const refusal = useRefusal()('updateConnection');
  const [asking, setAsking] = useState(false);
  const onClose = () => setAsking(false);
  const change = useDialogChange('updateConnection', ['retrieveSettings'], { open: asking, onClose });
  const { name = 'Processor', does = '' } = useProcessor() ?? {};
  const connected = settings.connection.status === 'connected';
  const set = (status: 'connected' | 'disconnected') =>
    change.send({ body: { status } }, (_, close) => {
      close();
      toast(status === 'connected' ? 'Connected' : 'Disconnected');
    });
  return (
    <Card
      title={name}
      description={`${does} Each account has one processor, fixed when it was opened.`}
      actions={
        connected ? (
          <Button unavailable={refusal} onClick={() => setAsking(true)}>
            Disconnect
          </Button>
        ) : (
          <Button variant="primary" unavailable={refusal} busy={change.busy} onClick={() => set('connected')}>
            Connect
          </Button>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={connected ? 'good' : 'bad'}>{connected ? 'Connected' : 'Disconnected'}</Badge>
        <span className="text-text-2">
          {connected
            ? 'Requests reach the processor.'
            : 'Payments, captures, voids and refunds are refused with provider_not_configured.'}
        </span>
      </div>
      <ConfirmDialog
        open={asking}
        onClose={onClose}
        title={`Disconnect ${name}`}
        action="Disconnect"
        typed={settings.name}
        busy={change.busy}
        error={change.error}
        onConfirm={() => set('disconnected')}
      >
        <p>
          From now on payments, captures, voids, refunds and answers to disputes are refused with{' '}
          <code className="font-mono">provider_not_configured</code>, in the sandbox and live.
        </p>
        <p>Holds run on and can expire. Nothing is deleted, and you can connect again at any time.</p>
      </ConfirmDialog>
    </Card>
  );
}
