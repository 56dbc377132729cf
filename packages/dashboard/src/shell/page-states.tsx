import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../components/feedback/error-state.tsx';
import { Skeleton, SkeletonLines } from '../components/feedback/skeleton.tsx';

/** The skeleton of a page while its chunk loads. */
export const PagePending = () => (
  <div className="flex flex-col gap-6">
    <Skeleton className="h-8 w-56" />
    <SkeletonLines of="the page" lines={6} />
  </div>
);

/** Shown if a page failed to render or its chunk could not be loaded, for example after an upgrade. */
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
