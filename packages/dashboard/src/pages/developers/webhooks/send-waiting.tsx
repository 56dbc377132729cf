import { CircleCheck, Hourglass } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toastError } from '../../../components/feedback/toasts.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import type { Endpoint } from './endpoint-state.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { RecoverProgress, type RunningRecovery, recoveryRefreshes } from './recover-progress.tsx';

/**
 * Offers to resend deliveries that wait for a later attempt, with prominence once the receiver answers again. Renders
 * nothing if no delivery waits, or if they could not be counted in time.
 */
export function SendWaiting({ endpoint }: { readonly endpoint: Endpoint }) {
  const [running, setRunning] = useState<RunningRecovery>();
  const [choosing, setChoosing] = useState(false);
  // Not in the offer: that is gone as soon as nothing waits any more, which may be before the response.
  const recover = useChange('recoverDeliveries', recoveryRefreshes);
  const { status, health } = endpoint;
  const send = (since: string) =>
    recover.mutate(
      { params: { id: endpoint.id }, body: { since } },
      {
        onSuccess: ({ resent }) => setRunning({ since, resent }),
        onError: toastError,
      },
    );
  return (
    <>
      {status === 'active' && health !== null && health.retrying > 0 && (
        <Offer
          isBack={endpoint.failing_since === null}
          health={health}
          busy={recover.isPending}
          onSend={send}
          onChoose={() => setChoosing(true)}
        />
      )}
      <RecoverDialog endpoint={endpoint} open={choosing} onClose={() => setChoosing(false)} />
      <Dialog open={running !== undefined} onClose={() => setRunning(undefined)} title="Sending what waits">
        {running !== undefined && (
          <RecoverProgress endpoint={endpoint} running={running} onClose={() => setRunning(undefined)} />
        )}
      </Dialog>
    </>
  );
}

function Offer({
  isBack,
  health,
  busy,
  onSend,
  onChoose,
}: {
  /** The receiver answers again. */
  readonly isBack: boolean;
  readonly health: NonNullable<Endpoint['health']>;
  readonly busy: boolean;
  /** Sends what has waited since the time of this event. */
  readonly onSend: (since: string) => void;
  readonly onChoose: () => void;
}) {
  const refusal = useRefusal()('recoverDeliveries');
  const since = health.oldest_pending_at;
  return (
    <Notice
      tone={isBack ? 'good' : 'warn'}
      icon={isBack ? CircleCheck : Hourglass}
      title={`${isBack ? 'Your receiver answers again. ' : ''}${countOf(health.retrying, 'delivery', 'deliveries')} waiting.`}
    >
      <p>
        {isBack
          ? 'They failed before, and the schedule would send them only later.'
          : 'Each waits for its next attempt, up to ten hours. Once your receiver is up, send them at once.'}
      </p>
      <p className="mt-2 flex flex-wrap gap-2">
        <Button
          variant={isBack ? 'primary' : 'secondary'}
          busy={busy}
          unavailable={refusal}
          onClick={() => {
            if (since !== null) onSend(since);
          }}
        >
          Send all now
        </Button>
        <Button variant="quiet" unavailable={refusal} onClick={onChoose}>
          Choose which…
        </Button>
      </p>
    </Notice>
  );
}
