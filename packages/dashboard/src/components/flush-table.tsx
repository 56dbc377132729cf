import type { ReactNode } from 'react';

/** Room for a `DataTable` inside a flush `Card`: the card is the frame, so the table has none. */
export const FlushTable = ({ children }: { readonly children: ReactNode }) => (
  <div className="*:rounded-none *:rounded-b-lg *:border-0 *:shadow-none">{children}</div>
);
