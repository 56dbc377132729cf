import { Tooltip as Radix, Slot } from 'radix-ui';
import type { ComponentProps, ReactElement, ReactNode } from 'react';

/** Wraps the application once. */
export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={350} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
);

/**
 * A short hint on hover and focus. It is visual only: its text must be in the accessible name or description as well.
 * None where `text` is undefined.
 */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>
        <Undescribed>{children}</Undescribed>
      </Radix.Trigger>
      {text !== undefined && (
        <Radix.Portal>
          <Radix.Content
            aria-hidden="true"
            sideOffset={6}
            collisionPadding={8}
            className="enter z-60 max-w-72 rounded-md bg-text px-2 py-1 text-sm text-bg shadow-float"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      )}
    </Radix.Root>
  );
}

/** Passes all props on to its child except the tooltip's description, which would be read twice. */
function Undescribed({ 'aria-describedby': _tooltip, ...rest }: ComponentProps<typeof Slot.Root>) {
  return <Slot.Root {...rest} />;
}
