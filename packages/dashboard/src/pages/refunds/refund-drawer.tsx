import { type Answer, useCall } from '../../api/calls.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Drawer } from '../../components/overlays/dialog.tsx';
import { CopyId } from '../../components/values/copy-button.tsx';
import { JsonView } from '../../components/values/json-view.tsx';
import { KeyValue } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { PaidWith } from '../../components/values/paid-with.tsx';
import { Status, StatusWithHint } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { refundReason } from '../../lib/wording/refund-words.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { pollIntervalMs } from '../payments/payment/detail.ts';
import { lookOfRefund, Steps } from '../payments/payment/payment-timeline.tsx';

type Detail = Answer<'retrieveRefund'>;

/** Shows one refund. @param id '' if no refund is open */
export function RefundDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Refund">
      {id !== '' && <Content id={id} />}
    </Drawer>
  );
}

function Content({ id }: { readonly id: string }) {
  const first = useCall('retrieveRefund', { params: { id } });
  const pending = first.data?.refund.status === 'pending';
  const { data, error, refetch } = useCall(
    'retrieveRefund',
    { params: { id } },
    { every: pending ? pollIntervalMs : undefined },
  );
  if (data !== undefined) return <Loaded detail={data} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <SkeletonLines of="the refund" lines={6} />;
}

function Loaded({ detail }: { readonly detail: Detail }) {
  const { refund, payment, upstream_id: upstream, timeline } = detail;
  const paths = usePaths();
  const metadata = Object.entries(refund.metadata);
  return (
    <div className="flex flex-col gap-6">
      <div>
        <p className="mb-1.5 text-2xl font-semibold">
          <Money amount={refund.amount} currency={refund.currency} code />
        </p>
        <StatusWithHint kind="refund" status={refund.status} />
        {refund.failure !== null && <p className="mt-1.5 text-bad">{refund.failure.message}</p>}
      </div>
      <KeyValue
        pairs={[
          { key: 'Id', value: <CopyId id={refund.id} what="refund id" /> },
          { key: 'Created', value: <Time at={refund.created} show="both" /> },
          { key: 'Reason', value: refund.reason === null ? undefined : refundReason(refund.reason) },
          { key: 'Note', value: refund.note ?? undefined },
          {
            key: 'Processor’s id',
            value: upstream === null ? undefined : <CopyId id={upstream} what="processor’s id" />,
          },
          ...metadata.map(([key, value]) => ({ key, value })),
        ]}
      />
      <section>
        <h3 className="mb-2 font-semibold">Payment</h3>
        <KeyValue
          pairs={[
            {
              key: 'Payment',
              value: (
                <Link to={paths.payment(payment.id)}>
                  {payment.reference ?? <code className="font-mono text-sm">{payment.id}</code>}
                </Link>
              ),
            },
            { key: 'Amount', value: <Money amount={payment.amount} currency={payment.currency} /> },
            {
              key: 'Refunded of it',
              value: <Money amount={payment.refunded_amount} currency={payment.currency} />,
            },
            { key: 'Status', value: <Status kind="payment" status={payment.status} /> },
            { key: 'Paid with', value: <PaidWith {...payment} type={payment.method} /> },
          ]}
        />
      </section>
      <section>
        <h3 className="mb-3 font-semibold">What happened</h3>
        <Steps payment={refund.payment} steps={timeline} lookOf={(step) => lookOfRefund(step, refund)} />
      </section>
      <JsonView label="Refund as JSON" value={refund} />
    </div>
  );
}
