import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { after } from '../../lib/browser/clock.ts';
import { createStore } from '../../lib/browser/store.ts';
import { IconButton } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';
import { announce } from './announcer.tsx';

interface ToastEntry {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const entries = createStore<readonly ToastEntry[]>([]);
let last = 0;

/** Shows a short message and announces it. A failure stays until it is closed. */
export function toast(text: string, tone: ToastEntry['tone'] = 'good'): void {
  last += 1;
  // What is said again replaces what was said: a failure that stays would fill the screen with each try.
  const others = entries.get().filter((entry) => entry.text !== text);
  entries.set([...others.slice(-3), { id: last, tone, text }]);
  announce(text);
}

/** Removes all toasts, for when the person goes to a page that they do not concern. */
export const clearToasts = (): void => entries.set([]);

const close = (id: number) => entries.set(entries.get().filter((entry) => entry.id !== id));

/** A dialog's buttons are at the end of a phone's screen, those of a drawer at the right of a larger one. */
const besideModals =
  'max-sm:[html:has([data-modal=dialog])_&]:top-2 max-sm:[html:has([data-modal=dialog])_&]:bottom-auto sm:[html:has([data-modal])_&]:items-start';

/** Where toasts appear; rendered once. */
export function Toasts() {
  const shown = useSyncExternalStore(entries.subscribe, entries.get);
  return (
    <section
      aria-label="Messages"
      data-no-print=""
      className={`pointer-events-none fixed inset-x-2 bottom-2 z-60 flex flex-col items-end gap-2 sm:inset-x-4 sm:bottom-4 ${besideModals}`}
    >
      {shown.map((entry) => (
        <ToastLine key={entry.id} entry={entry} />
      ))}
    </section>
  );
}

const shownFor = 6000;

function ToastLine({ entry }: { readonly entry: ToastEntry }) {
  const [held, setHeld] = useState(false);
  const stays = held || entry.tone === 'bad';
  useEffect(() => (stays ? undefined : after(shownFor, () => close(entry.id))), [entry.id, stays]);
  return (
    <fieldset
      data-message=""
      className="enter pointer-events-auto flex w-full max-w-sm items-start gap-2.5 rounded-lg border border-line bg-surface py-2 pr-2 pl-3 shadow-float"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={entry.tone === 'good' ? 'mt-1 text-good' : 'mt-1 text-bad'}>
        <Icon of={entry.tone === 'good' ? CircleCheck : CircleAlert} className="size-4.5" />
      </span>
      <p className="min-w-0 flex-1 py-0.5 [overflow-wrap:anywhere]">{entry.text}</p>
      <IconButton label="Close" icon={X} size="sm" onClick={() => close(entry.id)} />
    </fieldset>
  );
}
