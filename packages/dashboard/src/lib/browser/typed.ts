import { now } from './clock.ts';

/** For this long after a reload, fields are refilled with what was typed before it. */
const retentionMs = 10 * 60_000;
const place = 'till.typed';

type Typed = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Kept {
  readonly at: number;
  readonly path: string;
  /** Typed values by field name. */
  readonly fields: Readonly<Record<string, string>>;
}

// Never passwords, files or card numbers: the values stay in the browser's storage until they are restored.
const fields = 'input, textarea, select';
const left = /^(password|file|hidden|checkbox|radio|submit|button)$/;

const isKept = (field: Typed): boolean =>
  !left.test(field.type) && !/^(cc-|current-password|new-password|one-time-code)/.test(field.autocomplete);

const nameOf = (field: Typed): string => `${field.labels?.[0]?.textContent ?? ''}|${field.name}`;

const fieldsIn = (root: ParentNode): Typed[] => [...root.querySelectorAll<Typed>(fields)].filter(isKept);

/** Stores what was typed on this page, to be restored after a reload. */
export function keepTyped(): void {
  const typed = fieldsIn(document).filter(({ value }) => value !== '');
  if (typed.length === 0) return;
  const kept: Kept = {
    at: now(),
    path: location.pathname,
    fields: Object.fromEntries(typed.map((field) => [nameOf(field), field.value])),
  };
  try {
    sessionStorage.setItem(place, JSON.stringify(kept));
  } catch {
    // Without storage the text is lost, as in any reload.
  }
}

function takeKept(): Kept | undefined {
  try {
    const text = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    return text === null ? undefined : (JSON.parse(text) as Kept);
  } catch {
    return undefined;
  }
}

/** Sets a field the way typing does, so that React notices the change. */
function type(field: Typed, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

/** Restores the fields of this page, as they appear, with what was stored before the reload. */
export function restoreTyped(): void {
  const kept = takeKept();
  if (kept === undefined || now() - kept.at > retentionMs) return;
  const waiting = new Map(Object.entries(kept.fields));
  const fill = () => {
    if (location.pathname !== kept.path) return;
    for (const field of fieldsIn(document)) {
      const value = waiting.get(nameOf(field));
      if (value === undefined) continue;
      waiting.delete(nameOf(field));
      if (field.value === '') type(field, value);
    }
    if (waiting.size === 0 || now() - kept.at > retentionMs) watcher.disconnect();
  };
  const watcher = new MutationObserver(fill);
  watcher.observe(document.body, { childList: true, subtree: true });
}
