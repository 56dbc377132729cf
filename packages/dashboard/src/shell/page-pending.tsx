import { Skeleton, SkeletonLines } from '../components/skeleton.tsx';

/** The outline of a page whose file loads. */
export const PagePending = () => (
  <div className="flex flex-col gap-6">
    <Skeleton className="h-8 w-56" />
    <SkeletonLines of="the page" lines={6} />
  </div>
);
