import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';

/** Shown if a list is empty or nothing matches: says why and what to do. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
  className,
}: {
  readonly icon?: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
}) {
  return (
    <div className={cx('flex flex-col items-center gap-2 px-4 py-12 text-center', className)}>
      {icon !== undefined && (
        <span className="mb-1 grid size-11 place-items-center rounded-lg border border-line bg-sunken text-text-2">
          <Icon of={icon} className="size-5" />
        </span>
      )}
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="w-full max-w-md text-text-2">{children}</div>}
      {actions !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
