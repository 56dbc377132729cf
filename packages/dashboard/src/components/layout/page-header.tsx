import { useRouterState } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link } from '../../navigation/navigation.tsx';
import { Icon } from '../buttons/icon.tsx';

/** What the window titles of an account's pages have in common. */
export const TitleContext = createContext({ prefix: '', suffix: 'Till' });

/** Sets the window's title, prefixed with `[Sandbox]` in a sandbox. */
export function usePageTitle(title: string): void {
  const { prefix, suffix } = useContext(TitleContext);
  useEffect(() => {
    document.title = `${prefix}${title} · ${suffix}`;
  }, [title, prefix, suffix]);
}

let lastPath: string | undefined;

/** Moves the focus to the heading after going to another page, so that its name is read; not at the first load. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  // Known once the route has rendered; until then the heading is that of the previous page.
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
  /** Of the window; also the heading, where `heading` says nothing else. */
  readonly title: string;
  readonly heading?: ReactNode;
  /** The pages above this one. */
  readonly crumbs?: readonly Crumb[];
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
}

/** The top of every page: where it is, its one `h1`, what can be done. Also sets the window's title. */
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
