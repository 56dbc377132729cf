import { cx } from '../../lib/class-names.ts';

/** A grey placeholder for text. `LoadingText` announces the loading, once per block. */
export const Skeleton = ({ className = 'h-4 w-24' }: { className?: string }) => (
  <span aria-hidden="true" className={cx('skeleton inline-block max-w-full align-middle', className)} />
);

/** Announces to screen readers what is loading. */
export const LoadingText = ({ of: what }: { of: string }) => (
  <span role="status" className="sr-only">
    Loading {what}
  </span>
);

const widths = ['w-48', 'w-64', 'w-40', 'w-56', 'w-36', 'w-52'];

/** The skeleton of a block of text. */
export function SkeletonLines({ lines = 4, of: what }: { readonly lines?: number; readonly of: string }) {
  return (
    <div className="flex flex-col gap-3 py-1">
      <LoadingText of={what} />
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={`line-${String(line)}`} className={cx('h-4', widths[line % widths.length])} />
      ))}
    </div>
  );
}
