import { useCall } from '../../api/calls.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { Attention } from './attention.tsx';
import { Charts, useCharts } from './charts.tsx';
import { Checklist, ShowChecklist } from './checklist.tsx';
import { KeyFigures, useKeyFigures } from './key-figures.tsx';

const refreshMs = 30_000;

/** Recent figures, and what needs attention. */
export function HomePage() {
  const { data, error, refetch, isFetched } = useCall('retrieveHome', {}, { every: refreshMs });
  // All queries run in parallel, but the parts appear from the top down, so that none pushes down content that is
  // already visible.
  const figures = useKeyFigures();
  useCharts();
  return (
    <>
      <PageHeader title="Home" />
      <div className="flex flex-col gap-6">
        {data === undefined ? (
          <Card>
            {error === null ? (
              <SkeletonLines of="what needs attention" lines={3} />
            ) : (
              <ErrorState error={error} onRetry={() => void refetch()} />
            )}
          </Card>
        ) : (
          <>
            {!data.checklist.hidden && <Checklist steps={data.checklist.steps} />}
            <Attention found={data.attention} />
          </>
        )}
        {isFetched && (
          <section aria-labelledby="figures-heading">
            <h2 id="figures-heading" className="mb-3 text-lg font-semibold">
              Key figures
            </h2>
            <KeyFigures />
          </section>
        )}
        {isFetched && figures.isFetched && <Charts />}
        {data?.checklist.hidden === true && <ShowChecklist />}
      </div>
    </>
  );
}
