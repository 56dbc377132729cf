import type { ReactNode } from 'react';

/** A list of objects, each with its actions. */
export const Lines = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <ul aria-label={label} className="divide-y divide-line">
    {children}
  </ul>
);

export const Line = ({
  actions,
  children,
}: {
  readonly actions: ReactNode;
  readonly children: ReactNode;
}) => (
  <li className="grid items-center gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0 md:grid-cols-[minmax(0,1fr)_auto]">
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 *:min-w-0">{children}</div>
    <div className="flex flex-wrap gap-2">{actions}</div>
  </li>
);
