import { useState } from 'react';
import { type Answer, useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { importedText, readAfterImport } from '../payouts/import-card.tsx';

/** Makes the simulated processor pay out the captured amounts. */
export function PayoutCard() {
  const paths = usePaths();
  const pay = useChange('payOutSandbox', readAfterImport);
  const [done, setDone] = useState<Answer<'payOutSandbox'>>();
  return (
    <Card
      title="Payout"
      description="The processor pays out what was charged, given back and disputed since the last time, and its report is imported."
    >
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={pay.isPending} onClick={() => pay.mutate({}, { onSuccess: setDone })}>
          Make a payout
        </Button>
        <Link to={paths.payouts}>All payouts</Link>
      </div>
      <p role="status" className="mt-2 empty:mt-0">
        {done !== undefined && importedText(done)}
      </p>
      <ErrorNote error={pay.error} />
    </Card>
  );
}
