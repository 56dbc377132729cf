import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Icon } from '../../components/buttons/icon.tsx';
import { countText } from '../../lib/wording/plural.ts';
import { Link } from '../../navigation/navigation.tsx';

/**
 * The first few objects of one kind that need attention, with their total number. Renders nothing if there are none.
 */
export function Group({
  icon,
  title,
  total,
  shown,
  all,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly total: number;
  readonly shown: number;
  /** The URL of the page that lists all of them. */
  readonly all?: string | undefined;
  readonly children: ReactNode;
}) {
  const id = useId();
  if (total === 0) return null;
  const rest = total - shown;
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-4 gap-y-1.5 px-4 py-3 sm:px-5 md:grid-cols-[15rem_minmax(0,1fr)]"
    >
      <h3 id={id} className="flex items-start gap-2 font-medium">
        <span className="mt-0.5 text-bad">
          <Icon of={icon} className="size-4.5" />
        </span>
        <span>
          {title} <span className="font-normal text-text-3 tabular-nums">{countText(total)}</span>
        </span>
      </h3>
      <div className="min-w-0">
        <ul className="flex flex-col gap-1">{children}</ul>
        {rest > 0 && (
          <p className="mt-1 text-sm text-text-2">
            {all === undefined ? (
              `and ${countText(rest)} more`
            ) : (
              <Link to={all}>and {countText(rest)} more</Link>
            )}
          </p>
        )}
      </div>
    </section>
  );
}

/** One object of a group. */
export const Line = ({ children }: { readonly children: ReactNode }) => (
  <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">{children}</li>
);

/** The merchant's reference of an object, if it has one. */
export const Reference = ({ of: reference }: { readonly of: string | null }) =>
  reference !== null && (
    <span dir="auto" className="min-w-0 truncate text-text-2">
      {reference}
    </span>
  );
