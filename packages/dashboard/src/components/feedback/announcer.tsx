import { useSyncExternalStore } from 'react';
import { createStore } from '../../lib/browser/store.ts';

const words = createStore({ text: '', count: 0 });

/** Announces text to screen readers through a polite live region. Sighted people need visible text as well. */
export function announce(text: string): void {
  words.set({ text, count: words.get().count + 1 });
}

/** The live region. It is rendered once, from the start, because a region that is inserted later is not announced. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(words.subscribe, words.get);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {/* The key makes a new element for each announcement, so that a repeated text is read again. */}
      <span key={count}>{text}</span>
    </div>
  );
}
