import { useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { toast, toastError } from '../../components/feedback/toasts.tsx';
import { Money } from '../../components/values/money.tsx';
import { Time } from '../../components/values/time.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { Line, Lines } from './line.tsx';
import type { SandboxState } from './state.ts';
import { useRefreshAll } from './state.ts';

type Pending = SandboxState['refunds'][number];

/** Refunds that the bank has not settled yet. */
export const Refunds = ({ refunds }: { readonly refunds: readonly Pending[] }) => (
  <Lines label="Pending refunds">
    {refunds.map((refund) => (
      <PendingRefund key={refund.id} refund={refund} />
    ))}
  </Lines>
);

function PendingRefund({ refund }: { readonly refund: Pending }) {
  const paths = usePaths();
  const settle = useChange('settleSandboxRefund');
  const refresh = useRefreshAll();
  const as = (outcome: 'succeeded' | 'failed') =>
    settle.mutate(
      { params: { id: refund.id }, body: { outcome } },
      {
        onSuccess: () => toast(outcome === 'succeeded' ? 'The refund succeeded' : 'The refund failed'),
        onError: toastError,
        onSettled: refresh,
      },
    );
  return (
    <Line
      actions={
        <>
          <Button size="sm" variant="primary" busy={settle.isPending} onClick={() => as('succeeded')}>
            Pay out
          </Button>
          <Button size="sm" busy={settle.isPending} onClick={() => as('failed')}>
            Let it fail
          </Button>
        </>
      }
    >
      <Money amount={refund.amount} currency={refund.currency} code className="font-medium" />
      <code className="font-mono text-sm break-all text-text-2">{refund.id}</code>
      <Link to={paths.payment(refund.payment)}>Payment</Link>
      <span className="text-text-2">
        made <Time at={refund.created_at} show="relative" />
      </span>
    </Line>
  );
}
