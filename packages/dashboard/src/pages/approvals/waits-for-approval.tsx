import type { Answer } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { DialogActions } from '../../components/overlays/dialog.tsx';
import { Money } from '../../components/values/money.tsx';
import { Time } from '../../components/values/time.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';

/** Replaces the form of a dialog if the request was not executed because it needs the approval of another person. */
export function WaitsForApproval({
  approval,
  onClose,
}: {
  readonly approval: Answer<'approveRequest'>;
  readonly onClose: () => void;
}) {
  const paths = usePaths();
  return (
    <div className="flex flex-col gap-4">
      <div role="status" className="flex flex-col gap-1.5">
        <p className="font-medium">Waits for approval</p>
        <p>
          <Money amount={approval.amount} currency={approval.currency} code /> is above what your role may do
          by itself. Nothing has been done yet: somebody else has until <Time at={approval.expires_at} /> to
          approve it.
        </p>
      </div>
      <p>
        <Link to={paths.approvals}>Look at what waits for approval</Link>
      </p>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </div>
  );
}
