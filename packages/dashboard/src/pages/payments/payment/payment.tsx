import { useCall } from '../../../api/calls.ts';
import { ApiError } from '../../../api/client.ts';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { useParam, usePaths } from '../../../navigation/navigation.tsx';
import { BuyerCard, MethodCard } from './buyer-cards.tsx';
import { type Detail, isChanging, pollIntervalMs } from './detail.ts';
import { HoldCard, MoneyCard } from './money-cards.tsx';
import { OrderCard } from './order-card.tsx';
import { PaymentHeader } from './payment-header.tsx';
import { PaymentNotices } from './payment-notices.tsx';
import { PaymentTimeline } from './payment-timeline.tsx';
import { PayoutsCard } from './payouts-card.tsx';
import { LinksCard, ProcessingCard, RawCard } from './processing-cards.tsx';
import { DisputesCard, RefundsCard } from './refunds-card.tsx';
import { AuthenticationCard, RiskCard } from './security-cards.tsx';

/** One payment: its history, its amounts and its actions. */
export function PaymentPage() {
  const paths = usePaths();
  const id = useParam('id');
  const first = useCall('retrievePayment', { params: { id } });
  const changing = first.data !== undefined && isChanging(first.data);
  const { data, error, refetch } = useCall(
    'retrievePayment',
    { params: { id } },
    { every: changing ? pollIntervalMs : undefined },
  );
  if (data !== undefined) return <Loaded detail={data} />;
  const crumbs = [{ label: 'Payments', to: paths.payments }];
  const unknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader title="Payment" crumbs={crumbs} />
      <Card>
        {error === null ? (
          <SkeletonLines of="the payment" lines={6} />
        ) : (
          <ErrorState
            error={error}
            {...(unknown ? { title: 'There is no such payment here' } : { onRetry: () => void refetch() })}
          />
        )}
      </Card>
    </>
  );
}

const column = 'flex min-w-0 flex-col gap-4';

function Loaded({ detail }: { readonly detail: Detail }) {
  return (
    <>
      <PaymentHeader detail={detail} />
      <PaymentNotices detail={detail} />
      {/* On a phone the amounts come before the history; on wide screens they stand beside it. */}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(19rem,22rem)] lg:grid-rows-[auto_1fr]">
        <div className={`${column} lg:col-start-2`}>
          <MoneyCard detail={detail} />
          <HoldCard detail={detail} />
          <PayoutsCard detail={detail} />
        </div>
        <div className={`${column} lg:col-start-1 lg:row-span-2 lg:row-start-1`}>
          <Card title="What happened">
            <PaymentTimeline detail={detail} />
          </Card>
          <RefundsCard detail={detail} />
          <DisputesCard detail={detail} />
          <OrderCard detail={detail} />
          <AuthenticationCard detail={detail} />
          <ProcessingCard detail={detail} />
          <RiskCard detail={detail} />
          <RawCard detail={detail} />
        </div>
        <div className={`${column} lg:col-start-2`}>
          <BuyerCard detail={detail} />
          <MethodCard detail={detail} />
          <LinksCard detail={detail} />
        </div>
      </div>
    </>
  );
}
