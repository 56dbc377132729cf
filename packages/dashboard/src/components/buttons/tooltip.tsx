import { cloneElement, type ReactElement } from 'react';

/**
 * A short hint on hover and focus, shown by `TooltipHost`. It is visual only: its text must be in the accessible name or
 * description as well. None where `text` is undefined.
 */
export const Tooltip = ({ text, children }: { text: string | undefined; children: ReactElement<object> }) =>
  cloneElement(children, { 'data-tooltip': text } as object);
