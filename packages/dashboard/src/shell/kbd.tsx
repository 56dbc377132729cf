import type { ReactNode } from 'react';

/** A key of the keyboard. */
export const Kbd = ({ children }: { readonly children: ReactNode }) => (
  <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-sm border border-line bg-sunken px-1 font-sans text-xs font-medium text-text-2">
    {children}
  </kbd>
);

/** The modifier key for commands, with its label on the reader's platform. */
export const commandKey = (): string =>
  typeof navigator !== 'undefined' && /Macintosh|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
