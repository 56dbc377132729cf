import type { ReactNode } from 'react';

export interface Pair {
  readonly key: string;
  readonly value: ReactNode;
}

/** Names and values as a description list. A missing value is shown as a dash and read as "none". */
export function KeyValue({ pairs }: { readonly pairs: readonly Pair[] }) {
  return (
    <dl className="grid grid-cols-1 gap-y-2.5 sm:grid-cols-[minmax(8rem,11rem)_minmax(0,1fr)] sm:items-baseline sm:gap-x-4">
      {pairs.map(({ key, value }) => (
        <div key={key} className="contents">
          <dt className="text-text-3 max-sm:-mb-2">{key}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value ?? <None />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A missing value. */
export const None = () => (
  <span className="text-text-3">
    <span aria-hidden="true">–</span>
    <span className="sr-only">none</span>
  </span>
);

/** Names and values in a narrow column, with each name above its value. A missing value is shown as a dash. */
export function SideFacts({ pairs }: { readonly pairs: readonly Pair[] }) {
  return (
    <dl className="flex flex-col gap-2.5">
      {pairs.map(({ key, value }) => (
        <div key={key}>
          <dt className="text-sm text-text-3">{key}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value ?? <None />}</dd>
        </div>
      ))}
    </dl>
  );
}
