import { useRouterState } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link } from '../../navigation/navigation.tsx';
import { Icon } from '../buttons/icon.tsx';

/** The prefix and suffix that the window titles of all pages of an account share. */
export const TitleContext = createContext({ prefix: '', suffix: 'Till' });

/** Sets the window's title, prefixed with `[Sandbox]` in a sandbox. */
export function usePageTitle(title: string): void {
  const { prefix, suffix } = useContext(TitleContext);
  useEffect(() => {
    document.title = `${prefix}${title} · ${suffix}`;
  }, [title, prefix, suffix]);
}

let lastPath: string | undefined;

/** Moves the focus to the heading after a navigation, so that screen readers read it; not at the first load. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  // Known once the route has rendered. Until then the heading is still that of the previous page.
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    if (lastPath !== undefined && lastPath !== path) heading.current?.focus({ preventScroll: true });
    lastPath = path;
  }, [path]);
  return heading;
}

export interface Crumb {
  readonly label: string;
  readonly to: string;
}

export interface PageHeaderProps {
  /** The title of the window. It is also the heading, unless `heading` is given. */
  readonly title: string;
  readonly heading?: ReactNode;
  /** The pages above this one in the hierarchy. */
  readonly crumbs?: readonly Crumb[];
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
}

/** The top of every page: breadcrumbs, its only `h1` and its actions. It also sets the title of the window. */
export function PageHeader({ title, heading, crumbs = [], description, actions }: PageHeaderProps) {
  usePageTitle(title);
  const ref = useHeadingFocus();
  return (
    <header className="mb-5">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs" className="mb-1">
          <ol className="flex flex-wrap items-center gap-1.5 text-sm text-text-3">
            {crumbs.map((crumb) => (
              <li key={crumb.to} className="flex items-center gap-1.5">
                <Link
                  to={crumb.to}
                  className="-ml-1 inline-flex items-center gap-0.5 rounded-sm py-0.5 pr-1 hover:text-text hover:underline"
                >
                  <Icon of={ChevronLeft} className="size-4" />
                  {crumb.label}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 ref={ref} tabIndex={-1} className="text-2xl font-semibold [overflow-wrap:anywhere]">
            {heading ?? title}
          </h1>
          {description !== undefined && <div className="mt-1 max-w-prose text-text-2">{description}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}
