import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, use } from 'react';
import { after, now } from '../lib/browser/clock.ts';
import { beginRequest, isReachable, untilReached } from '../lib/browser/connection.ts';
import { keepTyped } from '../lib/browser/typed.ts';

/** A page in a chunk of its own. */
export type LazyPage = RouteComponent & {
  /**
   * Loads the chunk. Rejects only where it is missing also after a reload.
   * @param address of the page, which is loaded anew where this version's chunk is gone; absent: where the browser is
   */
  readonly load: (address?: string) => Promise<void>;
  readonly isLoaded: () => boolean;
};

type Ahead = Pick<LazyPage, 'load' | 'isLoaded'>;

const ahead: Ahead[] = [];

/** Has a chunk loaded while the browser is idle. */
export const loadAhead = (chunk: Ahead): void => void ahead.push(chunk);

/** A page that is loaded on navigation or ahead of it; `name` is its export. */
export function lazyPage<N extends string>(
  load: () => Promise<Readonly<Record<N, RouteComponent>>>,
  name: N,
): LazyPage {
  let component: RouteComponent | undefined;
  let loading: Promise<void> | undefined;
  const fetchChunk = async (address: string | undefined): Promise<void> => {
    try {
      component = (await retryChunk(load, address))[name];
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const loadPage = (address?: string): Promise<void> => {
    loading ??= fetchChunk(address);
    return loading;
  };
  const Page = (props: object) => {
    if (component === undefined) use(loadPage());
    return component === undefined ? null : createElement(component as ComponentType, props);
  };
  const page = Object.assign(Page, {
    load: loadPage,
    // The router's own name for it.
    preload: () => loadPage(),
    isLoaded: () => component !== undefined,
  }) as LazyPage;
  loadAhead(page);
  return page;
}

/** Loads a chunk. While the server cannot be reached it waits; one that is missing is of a version that is gone. */
export async function retryChunk<T>(load: () => Promise<T>, address?: string): Promise<T> {
  for (;;) {
    const onUnanswered = beginRequest();
    try {
      return await load();
    } catch (error) {
      if (await isReachable()) {
        // Some browsers remember that a chunk could not be loaded: only another document asks for it again.
        return await load().catch(() => loadAnew(error, address));
      }
      onUnanswered();
      await untilReached();
    }
  }
}

const reloadedAt = 'till.reloaded';
const reloadShown = 'till.updated';
const reloadIntervalMs = 10_000;

/** Loads a page in the server's version, with what was typed. @throws what was given, where that was done just now */
async function loadAnew(error: unknown, address = location.href): Promise<never> {
  const before = Number(sessionStorage.getItem(reloadedAt) ?? 0);
  if (now() - before < reloadIntervalMs) throw error;
  sessionStorage.setItem(reloadedAt, String(now()));
  sessionStorage.setItem(reloadShown, '');
  keepTyped();
  if (address === location.href) location.reload();
  else location.assign(address);
  return new Promise(() => {});
}

/** Whether this page was loaded anew for a new version just now; said once. */
export function takeReload(): boolean {
  const isFresh = sessionStorage.getItem(reloadShown) !== null;
  sessionStorage.removeItem(reloadShown);
  return isFresh;
}

const idle: (task: () => void) => void =
  typeof requestIdleCallback === 'function'
    ? (task) => void requestIdleCallback(task)
    : (task) => void after(200, task);

/** What the first page itself loads comes first. */
const aheadAfterMs = 2000;

/** Loads the chunks of all pages and parts one after another, when the browser has nothing else to do. */
export function preloadPages(): void {
  let at = 0;
  // A chunk can name further ones.
  const next = async () => {
    const chunk = ahead.slice(at).find(({ isLoaded }) => !isLoaded());
    if (chunk === undefined) return;
    at = ahead.indexOf(chunk) + 1;
    await chunk.load();
    schedule();
  };
  // One that cannot be loaded now is loaded, or waited for, when somebody goes to it.
  const schedule = () => idle(() => void next().catch(() => {}));
  after(aheadAfterMs, schedule);
}
