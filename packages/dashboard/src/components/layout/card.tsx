import { type ReactNode, useId } from 'react';
import { cx } from '../../lib/class-names.ts';

/** A framed part of a page with a heading. With `flush` the content reaches the frame, as tables do. */
export function Card({
  title,
  description,
  actions,
  flush = false,
  className,
  children,
}: {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={cx('min-w-0 rounded-lg border border-line bg-surface shadow-sm', className)}
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-3 sm:px-5">
          <div className="min-w-0">
            <h2 id={id} className="text-lg font-semibold">
              {title}
            </h2>
            {description !== undefined && (
              <p className="mt-0.5 max-w-prose text-sm text-text-2">{description}</p>
            )}
          </div>
          {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
      )}
      <div
        className={cx(
          !flush && 'px-4 pb-4 sm:px-5',
          !flush && title === undefined && 'pt-4',
          flush && title !== undefined && 'border-t border-line',
        )}
      >
        {children}
      </div>
    </section>
  );
}
