import { cloneElement, type ReactElement } from 'react';

/**
 * A short hint on hover and focus, shown by `TooltipHost`. It is only visual: the accessible name or description has to
 * contain its text too. There is no hint if `text` is undefined.
 */
export const Tooltip = ({ text, children }: { text: string | undefined; children: ReactElement<object> }) =>
  cloneElement(children, { 'data-tooltip': text } as object);
