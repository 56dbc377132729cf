import type { MouseEvent } from 'react';

/** A button that goes away as it is pressed leaves the focus to the first one beside it, not to the page's beginning. */
export const leaveFocus = ({ currentTarget }: MouseEvent<HTMLElement>): void =>
  currentTarget.parentElement?.querySelector('button')?.focus();
