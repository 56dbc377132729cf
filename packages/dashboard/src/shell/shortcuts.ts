/** The effect of a key: opens something, goes to a page, or moves through the rows of a list. */
export type Shortcut =
  | { readonly kind: 'search' | 'help' }
  | { readonly kind: 'go'; readonly page: GoPage }
  | { readonly kind: 'move'; readonly by: 1 | -1 };

const goKeys = {
  h: 'home',
  p: 'payments',
  r: 'refunds',
  c: 'customers',
  d: 'disputes',
  k: 'keys',
  w: 'webhooks',
  e: 'events',
  l: 'logs',
} as const;
export type GoPage = (typeof goKeys)[keyof typeof goKeys];

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** Milliseconds on one clock for all key presses. */
  readonly timeStamp: number;
}

const pages: ReadonlyMap<string, GoPage> = new Map(Object.entries(goKeys));

const single: ReadonlyMap<string, Shortcut> = new Map<string, Shortcut>([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['j', { kind: 'move', by: 1 }],
  ['k', { kind: 'move', by: -1 }],
]);

const sequenceTimeoutMs = 1500;

/**
 * Recognises shortcuts in single key presses and remembers a `g` for a moment.
 * @param letters whether single-character shortcuts are on; Ctrl-K and ⌘K always work
 */
export function createShortcuts() {
  let pressedG = Number.NEGATIVE_INFINITY;
  return (press: KeyPress, letters: boolean): Shortcut | undefined => {
    const { key, ctrlKey, metaKey, altKey, timeStamp } = press;
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return { kind: 'search' };
    if (!letters || ctrlKey || metaKey || altKey) return undefined;
    const afterG = timeStamp - pressedG <= sequenceTimeoutMs;
    pressedG = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
    if (afterG) {
      const page = pages.get(key);
      return page === undefined ? undefined : { kind: 'go', page };
    }
    return single.get(key);
  };
}
