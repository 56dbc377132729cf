import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';

/** A named part of the page that scrolls by itself: in the tab order, so that the keyboard can scroll it too. */
export function ScrollRegion({
  label,
  busy,
  scrolls = true,
  className,
  children,
}: {
  readonly label: string;
  /** Its content is about to change. */
  readonly busy?: boolean;
  /** False: all of it is seen, and the keyboard does not stop here. */
  readonly scrolls?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      aria-busy={busy}
      tabIndex={scrolls ? 0 : undefined}
      className={cx('-outline-offset-2', className)}
    >
      {children}
    </section>
  );
}
