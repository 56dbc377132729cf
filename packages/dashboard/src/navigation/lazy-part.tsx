import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, Suspense, useState } from 'react';
import { lazyPage, loadAhead, retryChunk } from './lazy-page.tsx';

/**
 * A part of a page that is loaded when it is first wanted, or before that while the browser is idle, and stays mounted from
 * then on: a dialog, which says by `open` that it is wanted. Shows nothing until it is there.
 * @param name its export
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

/** A module that is loaded when it is first needed, or before that while the browser is idle. */
export interface LazyModule<M> {
  /** Undefined until it is there. */
  readonly get: () => M | undefined;
  /** Rejects only where it is missing also after a reload. */
  readonly load: () => Promise<void>;
}

/** A module whose components are rendered only once it is there. */
export function lazyModule<M>(load: () => Promise<M>): LazyModule<M> {
  let loaded: M | undefined;
  const fetchModule = async () => {
    loaded ??= await retryChunk(load);
  };
  loadAhead({ load: fetchModule, isLoaded: () => loaded !== undefined });
  return { get: () => loaded, load: fetchModule };
}
