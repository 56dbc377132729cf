import { Ellipsis, KeyRound, Pause, Pencil, Play, RotateCcw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { toast, toastError } from '../../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../../components/overlays/menu.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { useOpening } from '../../../components/overlays/requests/opening.ts';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import { useGo, usePaths } from '../../../navigation/navigation.tsx';
import { useReveal } from '../use-reveal.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { overlapWords } from './endpoint-options.tsx';
import type { Endpoint } from './endpoint-state.tsx';
import { RecoverDialog } from './recover-dialog.tsx';

const refreshed = ['retrieveWebhookEndpoint', 'listWebhookEndpoints', 'listDeliveries'] as const;
/** Says what happens to the waiting deliveries, without their count if they could not be counted in time. */
function waitingSentence({ health }: Endpoint, happens: string, none: string): string {
  if (health === null) return `Deliveries that still wait ${happens}.`;
  if (health.pending === 0) return none;
  return `${countOf(health.pending, 'delivery', 'deliveries')} that still wait ${happens}.`;
}

type DialogName = 'edit' | 'roll' | 'recover' | 'delete';

/** Why the endpoint currently gets no deliveries. */
const pausedReason = ({ status }: Endpoint) =>
  status === 'paused' ? 'It is paused. Resume it first.' : undefined;

/** The actions of an endpoint. */
export function EndpointActions({ endpoint }: { readonly endpoint: Endpoint }) {
  const [dialog, setDialog] = useState<DialogName>();
  const refusal = useRefusal();
  // The response to a dialog's request may arrive while another dialog is open, which it must not close.
  const close = (one: DialogName) => () => setDialog((now) => (now === one ? undefined : now));
  const params = { id: endpoint.id };
  const test = useChange('sendTestEvent', [...refreshed, 'listEventLines']);
  const resume = useChange('resumeWebhookEndpoint', refreshed);
  const said = (text: string) => ({ onSuccess: () => toast(text), onError: toastError });
  return (
    <>
      <Button
        icon={Send}
        variant="primary"
        busy={test.isPending}
        unavailable={refusal('sendTestEvent') ?? pausedReason(endpoint)}
        onClick={() => test.mutate({ params }, said('A test event is on its way'))}
      >
        Send test event
      </Button>
      {endpoint.status === 'paused' && (
        <Button
          icon={Play}
          busy={resume.isPending}
          unavailable={refusal('resumeWebhookEndpoint')}
          onClick={() => resume.mutate({ params }, said('Resumed: what waited is being sent'))}
        >
          Resume
        </Button>
      )}
      <MoreActions endpoint={endpoint} onChoose={setDialog} />
      <EditDialog endpoint={endpoint} open={dialog === 'edit'} onClose={close('edit')} />
      <RollDialog endpoint={endpoint} open={dialog === 'roll'} onClose={close('roll')} />
      <RecoverDialog endpoint={endpoint} open={dialog === 'recover'} onClose={close('recover')} />
      <DeleteDialog endpoint={endpoint} open={dialog === 'delete'} onClose={close('delete')} />
    </>
  );
}

function MoreActions({
  endpoint,
  onChoose,
}: {
  readonly endpoint: Endpoint;
  readonly onChoose: (dialog: DialogName) => void;
}) {
  const refusal = useRefusal();
  const pause = useChange('pauseWebhookEndpoint', refreshed);
  const said = { onSuccess: () => toast('Paused: new events wait until you resume'), onError: toastError };
  return (
    <Menu button={<Button icon={Ellipsis}>More</Button>}>
      <MenuItem
        icon={RotateCcw}
        unavailable={refusal('recoverDeliveries') ?? pausedReason(endpoint)}
        onSelect={() => onChoose('recover')}
      >
        Send waiting and failed…
      </MenuItem>
      <MenuItem icon={KeyRound} unavailable={refusal('rollWebhookSecret')} onSelect={() => onChoose('roll')}>
        Roll signing secret…
      </MenuItem>
      <MenuItem
        icon={Pencil}
        unavailable={refusal('updateWebhookEndpoint')}
        onSelect={() => onChoose('edit')}
      >
        Change…
      </MenuItem>
      {endpoint.status === 'active' && (
        <MenuItem
          icon={Pause}
          unavailable={refusal('pauseWebhookEndpoint')}
          onSelect={() => pause.mutate({ params: { id: endpoint.id } }, said)}
        >
          Pause
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem
        icon={Trash2}
        danger
        unavailable={refusal('deleteWebhookEndpoint')}
        onSelect={() => onChoose('delete')}
      >
        Delete…
      </MenuItem>
    </Menu>
  );
}

interface DialogProps {
  readonly endpoint: Endpoint;
  readonly open: boolean;
  readonly onClose: () => void;
}

function EditDialog({ endpoint, open, onClose }: DialogProps) {
  const close = () => {
    if (!change.busy) change.reset();
    onClose();
  };
  const change = useDialogChange('updateWebhookEndpoint', refreshed, { open, onClose: close });
  return (
    <Dialog open={open} onClose={close} title="Change the endpoint" size="md">
      <EndpointForm
        initial={endpoint}
        action="Save"
        busy={change.busy}
        error={change.error}
        onCancel={close}
        onSubmit={(_input, changes) => {
          if (Object.keys(changes).length === 0) return close();
          change.send({ params: { id: endpoint.id }, body: changes }, (_, closeThis) => {
            closeThis();
            toast('Saved');
          });
        }}
      />
    </Dialog>
  );
}

function RollDialog({ endpoint, open, onClose }: DialogProps) {
  const rolled = useReveal('rollWebhookSecret', refreshed, { open, onClose });
  const overlap = endpoint.secret_overlap_seconds;
  const close = () => {
    onClose();
    rolled.forget();
  };
  return (
    <>
      <ConfirmDialog
        open={open}
        onClose={close}
        title="Roll the signing secret?"
        action="Roll secret"
        busy={rolled.busy}
        error={rolled.error}
        onConfirm={() => rolled.run({ params: { id: endpoint.id } })}
      >
        <p>
          <b className="font-semibold text-text">
            {overlap === 0
              ? 'The old secret stops immediately.'
              : `Both secrets sign for ${overlapWords(overlap)}.`}
          </b>{' '}
          {waitingSentence(endpoint, 'will carry the new signature', 'Nothing waits to be delivered.')}
        </p>
        <p>
          {overlap === 0
            ? 'Until your server knows the new secret it will refuse what is sent. Failed deliveries are tried again. The settings of the endpoint let both sign for a time.'
            : 'Give your server the new secret within that time. A secret that was rolled before this one stops immediately.'}
        </p>
      </ConfirmDialog>
      <RevealOnce
        title="The new signing secret"
        what="Signing secret"
        secret={rolled.answer?.secret}
        onSaved={rolled.forget}
      >
        Give it to your server now.{' '}
        {waitingSentence(endpoint, 'will carry the new signature', 'No delivery waits.')}
      </RevealOnce>
    </>
  );
}

function DeleteDialog({ endpoint, open, onClose }: DialogProps) {
  const go = useGo();
  const paths = usePaths();
  const remove = useChange('deleteWebhookEndpoint', ['listWebhookEndpoints']);
  const opening = useOpening(open);
  const page = useOpening(true);
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Delete this endpoint?"
      action="Delete endpoint"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        const isStillOpen = opening.mark();
        remove.mutate(
          { params: { id: endpoint.id } },
          {
            onSuccess() {
              toast('The endpoint was deleted');
              // The person may have gone to another page before the response.
              if (page.isOpen()) go(paths.webhooks, { replace: true });
            },
            onError: (error) => {
              if (!isStillOpen()) toastError(error);
            },
          },
        );
      }}
    >
      <p className="[overflow-wrap:anywhere]">Nothing more is sent to {endpoint.url}.</p>
      <p>
        {waitingSentence(endpoint, 'are given up', 'Nothing waits for it.')} The events stay in the log. To
        stop for a while only, pause it instead.
      </p>
    </ConfirmDialog>
  );
}
