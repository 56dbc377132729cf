import { type OperationName, useCall } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Progress } from '../../../components/feedback/progress.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { DialogActions } from '../../../components/overlays/dialog.tsx';
import { countOf, countText } from '../../../lib/wording/plural.ts';
import type { Endpoint } from './endpoint-state.tsx';

/** The queries that a recovery affects. */
export const recoveryRefreshes = [
  'listDeliveries',
  'retrieveWebhookEndpoint',
  'retrieveRecovery',
] as const satisfies readonly OperationName[];

export interface RunningRecovery {
  readonly since: string;
  readonly until?: string;
  readonly type?: string;
  readonly resent: number;
}

const deliveries = (count: number) => countOf(count, 'delivery', 'deliveries');

/** The progress of a recovery. */
export function RecoverProgress({
  endpoint,
  running: { resent, ...query },
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly running: RunningRecovery;
  readonly onClose: () => void;
}) {
  const state = useCall('retrieveRecovery', { params: { id: endpoint.id }, query }, { every: 1000 }).data;
  if (state === undefined) return <SkeletonLines of="the progress" lines={3} />;
  const tried = Math.max(0, resent - state.waiting);
  const stillBad = state.retrying + state.failed;
  return (
    <div className="flex flex-col gap-4">
      <Progress
        label="Sent again"
        value={tried}
        max={resent}
        text={`${countText(tried)} of ${countText(resent)}`}
      />
      <p role="status" className="text-text-2">
        {state.waiting > 0
          ? 'Sending…'
          : stillBad === 0
            ? 'All of them were delivered.'
            : `${deliveries(stillBad)} failed again: your receiver still refuses them. ${state.retrying > 0 ? 'They are tried again by the usual schedule.' : ''}`}
      </p>
      {state.waiting > 0 && <p className="text-sm text-text-3">You can close this: the sending goes on.</p>}
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </div>
  );
}
