import { CircleX, Clock, Hourglass, Info, OctagonAlert, ShieldAlert } from 'lucide-react';
import { useChange } from '../../../api/calls.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toastError } from '../../../components/feedback/toasts.tsx';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Time } from '../../../components/values/time.tsx';
import { TimeLeft } from '../../../components/values/time-left.tsx';
import { alertText } from '../../../lib/wording/alert-words.ts';
import { captureDeclined, failureText } from '../../../lib/wording/failure-texts.ts';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import type { Detail } from './detail.ts';
import { FailedRefundNotices } from './failed-refunds.tsx';

/** The notices at the top of a payment: why it failed, what it is waiting for, and what is unknown. */
export function PaymentNotices({ detail }: { readonly detail: Detail }) {
  return (
    <>
      <AlertNotices detail={detail} />
      <CardTestingNotice detail={detail} />
      <FailedRefundNotices detail={detail} />
      <FailureNotice detail={detail} />
      <WaitingNotice detail={detail} />
      <DoubtNotice detail={detail} />
      <DisputeNotice detail={detail} />
    </>
  );
}

/** The alerts of the payment that nobody has acknowledged. */
function AlertNotices({ detail: { alerts, payment } }: { readonly detail: Detail }) {
  const change = useChange('acknowledgePaymentAlert', ['retrievePayment', 'retrieveHome']);
  const may = useMay();
  const open = alerts.filter(({ acknowledged_at: done }) => done === null);
  return open.map(({ kind, created_at: at }) => {
    const { title, meaning } = alertText(kind);
    return (
      <Notice key={kind} tone="bad" icon={OctagonAlert} title={title}>
        <p>{meaning}</p>
        <p className="mt-1 text-sm text-text-2">
          Reported <Time at={at} show="both" />
        </p>
        {may('acknowledgePaymentAlert') && (
          <Button
            className="mt-2"
            busy={change.isPending}
            onClick={() =>
              change.mutate({ params: { id: payment.id }, body: { kind } }, { onError: toastError })
            }
          >
            Mark as dealt with
          </Button>
        )}
      </Notice>
    );
  });
}

function CardTestingNotice({ detail: { card_testing: marks } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (marks.length === 0) return null;
  const refused = marks.some(({ effect }) => effect === 'refused');
  return (
    <Notice tone="warn" icon={ShieldAlert} title="Cards may have been tried here">
      <p>
        Attempts to pay were {refused ? 'refused' : 'slowed down'} after too many declines within an hour.
        Look at who it is before you deliver. The limits stand in{' '}
        <Link to={paths.settings('payments')}>Settings, Payments</Link>.
      </p>
    </Notice>
  );
}

function FailureNotice({ detail: { payment, timeline } }: { readonly detail: Detail }) {
  if (payment.failure === null) return null;
  const { title, meaning, advice } = failureText(payment.failure.code);
  const capture = timeline.find(({ kind }) => kind === 'capture.declined');
  const what = capture === undefined ? title : captureDeclined(payment.failure.code);
  return (
    <Notice tone="bad" icon={CircleX} title={`${what}: no money was taken`}>
      {capture !== undefined && (
        <p>
          The hold is gone with it: nothing more can be captured, and to be paid the buyer has to pay again.
          {capture.by !== null && ` Captured by ${capture.by}.`}
        </p>
      )}
      <p>
        {meaning} {advice}
      </p>
      <p className="mt-1 text-sm text-text-2">
        <code className="font-mono">{payment.failure.code}</code>: {payment.failure.message}
      </p>
    </Notice>
  );
}

function WaitingNotice({ detail: { payment, processing, timeline } }: { readonly detail: Detail }) {
  if (payment.status !== 'requires_action') return null;
  const returned = timeline.some(({ kind }) => kind === 'buyer.returned');
  const url = payment.next_action?.checkout_url ?? payment.next_action?.redirect_url;
  return (
    <Notice tone="info" icon={Clock} title="Waiting for the buyer">
      <p>
        Nothing is charged until the buyer has approved the payment and it is confirmed.
        {returned && ' Their browser has come back to your site. That alone is no proof of payment.'}
      </p>
      <p className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-2">
        {processing.confirm_by !== null && (
          <TimeLeft to={processing.confirm_by} over="The time for confirmation is over" />
        )}
        {url !== undefined && (
          <CopyButton text={url} what="payment link" label="Copy the buyer’s link" variant="secondary" />
        )}
      </p>
    </Notice>
  );
}

const asked = {
  charge: 'A charge',
  confirm: 'A confirmation',
  capture: 'A capture',
  void: 'A void',
  expire: 'The end of the waiting time',
  cancel: 'A cancellation',
} as const;

function DoubtNotice({ detail: { processing } }: { readonly detail: Detail }) {
  const doubt = processing.in_doubt;
  if (doubt === null) return null;
  return (
    <Notice tone="warn" icon={Hourglass} title="The processor has not answered yet">
      <p>
        {asked[doubt.kind]} was asked for at <Time at={doubt.since} />. It is asked again by itself until the
        outcome is known. Do not do it a second time elsewhere.
      </p>
    </Notice>
  );
}

function DisputeNotice({ detail: { disputes } }: { readonly detail: Detail }) {
  const paths = usePaths();
  const due = disputes.find(({ status }) => status === 'action_required');
  if (due === undefined) return null;
  return (
    <Notice tone="bad" icon={OctagonAlert} title="The buyer disputes this payment">
      <p>
        {due.respond_by !== null && (
          <>
            Answer by <Time at={due.respond_by} show="both" />.{' '}
          </>
        )}
        <Link to={paths.dispute(due.id)}>Open the dispute</Link>
      </p>
    </Notice>
  );
}

/** Explains what the buyer's return to the shop proves. */
export const ReturnNote = () => (
  <p className="mt-3 flex gap-2 text-sm text-text-2">
    <Icon of={Info} className="mt-0.5 size-4" />
    <span>
      A buyer who comes back to <code className="font-mono">success_url</code> has not paid by that. Only the
      status here, the API or a webhook proves a payment.
    </span>
  </p>
);
