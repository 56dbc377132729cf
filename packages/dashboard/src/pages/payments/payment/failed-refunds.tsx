import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toastError } from '../../../components/feedback/toasts.tsx';
import { Time } from '../../../components/values/time.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import type { Detail } from './detail.ts';
import { RefundDialog } from './refund-dialog.tsx';

/** The failed refunds of a payment that nobody has handled yet, with advice. */
export function FailedRefundNotices({ detail }: { readonly detail: Detail }) {
  // Here and not in the notices: a notice disappears once a colleague marks its refund as dealt with, and must not take
  // a dialog with it whose refund may be in flight.
  const [refunding, setRefunding] = useState(false);
  const open = detail.refunds.filter(({ id }) => detail.failed_refunds.includes(id));
  return (
    <>
      {open.map((refund) => (
        <FailedRefundNotice
          key={refund.id}
          refund={refund}
          unavailable={detail.actions.refund.reason ?? undefined}
          onRefund={() => setRefunding(true)}
        />
      ))}
      <RefundDialog open={refunding} onClose={() => setRefunding(false)} detail={detail} />
    </>
  );
}

function FailedRefundNotice({
  refund,
  unavailable,
  onRefund,
}: {
  readonly refund: Detail['refunds'][number];
  /** Why the payment cannot be refunded. */
  readonly unavailable: string | undefined;
  readonly onRefund: () => void;
}) {
  const refusal = useRefusal()('acknowledgeFailedRefund');
  const done = useChange('acknowledgeFailedRefund', ['retrievePayment', 'retrieveHome', 'listPayments']);
  return (
    <Notice
      tone="bad"
      icon={Undo2}
      title={`The refund of ${formatMoney(refund.amount, refund.currency, language())} failed: the buyer has not got it`}
    >
      <p>
        {refund.failure?.message} Asked for <Time at={refund.created} show="both" />.
      </p>
      <p>
        Refund it again. If that fails too, pay the buyer another way, by bank transfer for example, and mark
        this as dealt with.
      </p>
      <p className="mt-2 flex flex-wrap gap-2">
        <Button icon={Undo2} variant="primary" unavailable={unavailable} onClick={onRefund}>
          Refund again
        </Button>
        <Button
          busy={done.isPending}
          unavailable={refusal}
          onClick={() => done.mutate({ params: { id: refund.id } }, { onError: toastError })}
        >
          Mark as dealt with
        </Button>
      </p>
    </Notice>
  );
}
