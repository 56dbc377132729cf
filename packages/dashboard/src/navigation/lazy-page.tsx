import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, use } from 'react';
import { after, now } from '../lib/browser/clock.ts';
import { beginRequest, isReachable, untilReached } from '../lib/browser/connection.ts';
import { keepTyped } from '../lib/browser/typed.ts';

/** A page in its own chunk. */
export type LazyPage = RouteComponent & {
  /**
   * Loads the chunk. Rejects only if the chunk is missing even after a reload.
   * @param address the page to load anew if this version's chunk no longer exists; by default the current one
   */
  readonly load: (address?: string) => Promise<void>;
  readonly isLoaded: () => boolean;
};

type Ahead = Pick<LazyPage, 'load' | 'isLoaded'>;

const ahead: Ahead[] = [];

/** Registers a chunk to be loaded while the browser is idle. */
export const loadAhead = (chunk: Ahead): void => void ahead.push(chunk);

/** A page whose chunk is loaded on navigation or earlier. `name` is the export of the module. */
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
    // The name that the router uses.
    preload: () => loadPage(),
    isLoaded: () => component !== undefined,
  }) as LazyPage;
  loadAhead(page);
  return page;
}

/** Loads a chunk. Waits while the server cannot be reached. A missing chunk means that its version was replaced. */
export async function retryChunk<T>(load: () => Promise<T>, address?: string): Promise<T> {
  for (;;) {
    const onUnanswered = beginRequest();
    try {
      return await load();
    } catch (error) {
      if (await isReachable()) {
        // Some browsers remember that a chunk failed to load. Only a new document requests it again.
        return await load().catch(() => reloadPage(error, address));
      }
      onUnanswered();
      await untilReached();
    }
  }
}

const reloadedAt = 'till.reloaded';
const reloadShown = 'till.updated';
const reloadIntervalMs = 10_000;

/**
 * Loads a page in the server's current version and keeps what was typed.
 * @throws the given error if the page was reloaded only just now
 */
async function reloadPage(error: unknown, address = location.href): Promise<never> {
  const before = Number(sessionStorage.getItem(reloadedAt) ?? 0);
  if (now() - before < reloadIntervalMs) throw error;
  sessionStorage.setItem(reloadedAt, String(now()));
  sessionStorage.setItem(reloadShown, '');
  keepTyped();
  if (address === location.href) location.reload();
  else location.assign(address);
  return new Promise(() => {});
}

/** Whether this page was just reloaded for a new version. Returns true only once. */
export function takeReload(): boolean {
  const isFresh = sessionStorage.getItem(reloadShown) !== null;
  sessionStorage.removeItem(reloadShown);
  return isFresh;
}

const idle: (task: () => void) => void =
  typeof requestIdleCallback === 'function'
    ? (task) => void requestIdleCallback(task)
    : (task) => void after(200, task);

/** The requests of the first page itself have priority. */
const aheadAfterMs = 2000;

/** Loads the chunks of all pages and parts, one after another, while the browser is idle. */
export function preloadPages(): void {
  let at = 0;
  // A loaded chunk can register further ones.
  const next = async () => {
    const chunk = ahead.slice(at).find(({ isLoaded }) => !isLoaded());
    if (chunk === undefined) return;
    at = ahead.indexOf(chunk) + 1;
    await chunk.load();
    schedule();
  };
  // A chunk that fails to load now is loaded, or waited for, when somebody navigates to it.
  const schedule = () => idle(() => void next().catch(() => {}));
  after(aheadAfterMs, schedule);
}
