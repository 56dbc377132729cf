import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';

/**
 * A named part of the page that scrolls on its own. It is in the tab order, so that the keyboard can scroll it as well.
 */
export function ScrollRegion({
  label,
  busy,
  scrolls = true,
  className,
  children,
}: {
  readonly label: string;
  /** The content is loading (`aria-busy`). */
  readonly busy?: boolean;
  /** False if everything is visible: then the region is not in the tab order. */
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
