import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
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

/** Shows a short message and announces it. A failure stays until the person closes it. */
export function toast(text: string, tone: ToastEntry['tone'] = 'good'): void {
  last += 1;
  // A repeated message replaces the earlier one. Otherwise each failed attempt would add a message that stays.
  const others = entries.get().filter((entry) => entry.text !== text);
  entries.set([...others.slice(-3), { id: last, tone, text }]);
  announce(text);
}

/** Shows the message of an error, which stays until the person closes it. */
export const toastError = (error: Error): void => toast(error.message, 'bad');

/** Removes all toasts when the person goes to a page that they do not concern. */
export const clearToasts = (): void => entries.set([]);

const close = (id: number) => entries.set(entries.get().filter((entry) => entry.id !== id));

/**
 * Where toasts cover no button of a modal: on a phone above a dialog, which has its buttons at the bottom; on a larger
 * screen at the left, unless the side menu is there.
 */
const besideModals =
  'max-sm:[html:has([data-modal=dialog])_&]:top-2 max-sm:[html:has([data-modal=dialog])_&]:bottom-auto sm:[html:has([data-modal]:not([data-modal=side-menu]))_&]:items-start';

const gapPx = 8;

/** Publishes the height of the toasts as the CSS variable `--messages`, so that a dialog on a phone leaves room for them. */
function useMessagesHeight() {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const height = element.offsetHeight;
      document.documentElement.style.setProperty('--messages', `${height === 0 ? 0 : height + gapPx}px`);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return box;
}

/** The place where toasts appear. It is rendered once. */
export function Toasts() {
  const shown = useSyncExternalStore(entries.subscribe, entries.get);
  const box = useMessagesHeight();
  return (
    <section
      ref={box}
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
