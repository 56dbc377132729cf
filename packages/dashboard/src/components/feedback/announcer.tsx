import { useSyncExternalStore } from 'react';
import { createStore } from '../../lib/browser/store.ts';

const words = createStore({ text: '', turn: 0 });

/** Says something to screen readers, politely. What everybody can see needs a toast or text as well. */
export function announce(text: string): void {
  words.set({ text, turn: words.get().turn + 1 });
}

/** Stands in the page once, from the start: regions that appear later are not heard. */
export function Announcer() {
  const { text, turn } = useSyncExternalStore(words.subscribe, words.get);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {/* The same words twice are news too. */}
      <span key={turn}>{text}</span>
    </div>
  );
}
