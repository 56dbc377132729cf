import { useSyncExternalStore } from 'react';
import { createStore } from '../../lib/browser/store.ts';

const words = createStore({ text: '', count: 0 });

/** Announces text to screen readers through a polite live region; sighted people need visible text as well. */
export function announce(text: string): void {
  words.set({ text, count: words.get().count + 1 });
}

/** The live region; rendered once, from the start, since one that is inserted later is not announced. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(words.subscribe, words.get);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {/* The same text announced twice is read twice. */}
      <span key={count}>{text}</span>
    </div>
  );
}
