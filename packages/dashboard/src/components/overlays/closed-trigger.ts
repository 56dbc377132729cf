import type { KeyboardEvent, MouseEvent } from 'react';

/** How a menu was opened for the first time. If by the keyboard, its first entry is highlighted. */
export type OpenedBy = 'pointer' | 'keyboard';

/** The properties that a button has to accept to open a menu or a popover. */
export interface TriggerProps {
  readonly onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLButtonElement>) => void;
}

/**
 * The properties of a button whose menu or popover has never been open and may still have to be loaded. They look the
 * same as those that Radix sets, also to a screen reader.
 */
export function closedTrigger(
  kind: 'menu' | 'dialog',
  own: TriggerProps,
  open: (by: OpenedBy) => void,
): TriggerProps & Readonly<Record<string, unknown>> {
  return {
    'aria-haspopup': kind,
    'aria-expanded': false,
    'data-state': 'closed',
    onClick(event) {
      own.onClick?.(event);
      // Enter, the space bar and screen readers click without a pointer.
      if (!event.defaultPrevented) open(event.detail === 0 ? 'keyboard' : 'pointer');
    },
    onKeyDown(event) {
      own.onKeyDown?.(event);
      if (kind !== 'menu' || event.key !== 'ArrowDown' || event.defaultPrevented) return;
      event.preventDefault();
      open('keyboard');
    },
  };
}
