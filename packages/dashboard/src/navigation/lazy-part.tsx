import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, Suspense, useState } from 'react';
import { lazyPage, loadAhead, retryChunk } from './lazy-page.tsx';

/**
 * A part of a page in its own chunk, such as a dialog. It is loaded when it is first needed (`open` is true), or
 * earlier while the browser is idle, and then stays mounted. It renders nothing until it is loaded.
 * @param name the export of the module
 */
export function lazyPart<N extends string, P extends { readonly open: boolean }>(
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
  name: N,
): ComponentType<P> {
  const Part = lazyPage(load as unknown as () => Promise<Record<N, RouteComponent>>, name);
  return function LazyPart(props: P) {
    const [isWanted, setWanted] = useState(props.open);
    if (props.open && !isWanted) setWanted(true);
    return isWanted ? (
      <Suspense fallback={null}>{createElement(Part as ComponentType<P>, props)}</Suspense>
    ) : null;
  };
}

/** A module that is loaded when it is first needed, or earlier while the browser is idle. */
export interface LazyModule<M> {
  /** Undefined until the module is loaded. */
  readonly get: () => M | undefined;
  /** Rejects only if the chunk is missing even after a reload. */
  readonly load: () => Promise<void>;
}

/** A module with components that are rendered only once it is loaded. */
export function lazyModule<M>(load: () => Promise<M>): LazyModule<M> {
  let loaded: M | undefined;
  const fetchModule = async () => {
    loaded ??= await retryChunk(load);
  };
  loadAhead({ load: fetchModule, isLoaded: () => loaded !== undefined });
  return { get: () => loaded, load: fetchModule };
}
