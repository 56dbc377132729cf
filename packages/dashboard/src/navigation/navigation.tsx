import { useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, type MouseEvent, useMemo } from 'react';
import type { LazyPage } from './lazy-page.tsx';
import { type AccountPaths, accountPaths, base, withQuery } from './paths.ts';

/**
 * Navigates to a page of the dashboard. `to` is a path below `/dashboard`, as the functions of `paths.ts` return it.
 */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  const router = useRouter();
  return (to, { replace = false } = {}) => {
    latest += 1;
    const asked = latest;
    const go = () => {
      if (asked !== latest) return;
      if (replace) router.history.replace(base + to);
      else router.history.push(base + to);
    };
    const page = pageAt(router, to);
    // The present page stays until the next one is loaded, however long the server cannot be reached.
    if (page === undefined || page.isLoaded()) go();
    else void page.load(base + to).then(go, go);
  };
}

/** Counts navigations: one that waits for its page is dropped when a later one starts. */
let latest = 0;

function pageAt(router: ReturnType<typeof useRouter>, to: string): LazyPage | undefined {
  const [path = ''] = to.split(/[?#]/);
  const component = router.getMatchedRoutes(path)[0].at(-1)?.options.component;
  return component !== undefined && 'isLoaded' in component ? (component as LazyPage) : undefined;
}

/** A path parameter of the page; '' if the path has no such parameter. */
export function useParam(name: string): string {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return params[name] ?? '';
}

/** The URLs of the pages of the current account. */
export function usePaths(): AccountPaths {
  const account = useParam('account');
  return useMemo(() => accountPaths(account), [account]);
}

/** The path of the page, below `/dashboard`. */
export const usePathname = (): string => useRouterState({ select: ({ location }) => location.pathname });

export interface UrlQuery {
  /** '' if the URL does not contain the parameter. */
  readonly get: (key: string) => string;
  readonly all: Readonly<Record<string, string>>;
  /** Sets parameters, removes those with '' or undefined and keeps the others. Pushes a history entry. */
  readonly set: (
    change: Readonly<Record<string, string | undefined>>,
    options?: { readonly replace?: boolean },
  ) => void;
}

/**
 * The query of the page's URL. It holds the filters, the sort order and the page number, so that a view can be shared.
 */
export function useUrlQuery(): UrlQuery {
  const go = useGo();
  const path = usePathname();
  const text = useRouterState({ select: ({ location }) => location.searchStr });
  const all = useMemo(() => Object.fromEntries(new URLSearchParams(text)), [text]);
  return {
    all,
    get: (key) => all[key] ?? '',
    set: (change, options) => go(withQuery(path, { ...all, ...change }), options),
  };
}

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** A path below `/dashboard`. */
  readonly to: string;
  /** The link looks like the text around it. */
  readonly plain?: boolean;
}

const opensElsewhere = (event: MouseEvent<HTMLAnchorElement>) =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** A link to a page of the dashboard. It is a real link: it can be opened in a new tab, copied and dragged. */
export function Link({ to, plain = false, className, onClick, ...rest }: LinkProps) {
  const go = useGo();
  return (
    <a
      {...rest}
      href={base + to}
      className={className ?? (plain ? '' : linkLook)}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || opensElsewhere(event)) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}

const linkLook =
  'font-medium text-accent underline decoration-transparent underline-offset-2 hover:text-accent-strong hover:decoration-current';

/** A link to another site. It opens in a new tab and says so. */
export function ExternalLink({ children, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a {...rest} className={rest.className ?? linkLook} target="_blank" rel="noreferrer">
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
