import { useCall } from '../../api/calls.ts';
import { ApiError } from '../../api/client.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useParam, usePaths } from '../../navigation/navigation.tsx';
import { DefenceCard } from './answer/defence-card.tsx';
import type { Detail } from './answer/detail.ts';
import { LeftOver } from './answer/draft-notes.tsx';
import { AssigneeCard } from './assignee-card.tsx';
import { BuyerCard, FactsCard, PaymentCard } from './context-cards.tsx';
import { DisputeHeader } from './dispute-header.tsx';
import { DisputeTimeline } from './dispute-timeline.tsx';
import { Explanation } from './explanation.tsx';
import { Submissions } from './submissions.tsx';

const refreshMs = 30_000;
/** The interval between refetches while it is unknown whether the processor has accepted a response to the dispute. */
const inDoubtMs = 5_000;

/** One dispute: what it means, its deadline, and the response to it. */
export function DisputePage() {
  const paths = usePaths();
  const id = useParam('id');
  const known = useCall('retrieveDispute', { params: { id } }).data;
  const { data, error, refetch } = useCall(
    'retrieveDispute',
    { params: { id } },
    { every: known?.in_doubt == null ? refreshMs : inDoubtMs },
  );
  if (data !== undefined) return <Loaded detail={data} />;
  const unknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader title="Dispute" crumbs={[{ label: 'Disputes', to: paths.disputes }]} />
      <Card>
        {error === null ? (
          <SkeletonLines of="the dispute" lines={6} />
        ) : (
          <ErrorState
            error={error}
            {...(unknown ? { title: 'There is no such dispute here' } : { onRetry: () => void refetch() })}
          />
        )}
      </Card>
    </>
  );
}

function Loaded({ detail }: { readonly detail: Detail }) {
  return (
    <>
      <DisputeHeader detail={detail} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(19rem,22rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Explanation detail={detail} />
          {detail.refusal === null ? (
            <DefenceCard key={detail.dispute.state} detail={detail} />
          ) : (
            <LeftOver id={detail.dispute.id} />
          )}
          <Submissions detail={detail} />
          <Card title="What happened">
            <DisputeTimeline detail={detail} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AssigneeCard detail={detail} />
          <PaymentCard detail={detail} />
          <BuyerCard detail={detail} />
          <FactsCard detail={detail} />
        </div>
      </div>
    </>
  );
}
