import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../components/feedback/error-state.tsx';
import { Skeleton, SkeletonLines } from '../components/feedback/skeleton.tsx';

/** The skeleton of a page whose chunk loads. */
export const PagePending = () => (
  <div className="flex flex-col gap-6">
    <Skeleton className="h-8 w-56" />
    <SkeletonLines of="the page" lines={6} />
  </div>
);

/** A page that failed to render, or whose chunk could not be loaded, for example after an update. */
export function PageFault({ error }: ErrorComponentProps) {
  return (
    <section className="pt-8">
      <h1 className="sr-only">This page does not work</h1>
      <ErrorState
        error={error instanceof Error ? error : new Error(String(error))}
        title="This page does not work"
        onRetry={() => location.reload()}
      />
    </section>
  );
}
