import { Popover as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import type { TriggerProps } from './closed-trigger.ts';

export interface PopoverProps {
  readonly button: ReactElement<TriggerProps>;
  /** The accessible name. */
  readonly label: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** The popover of a button that has been opened at least once. */
export function OpenedPopover({ button, label, open, onOpenChange, children }: PopoverProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>

      <Radix.Content
        aria-label={label}
        align="start"
        sideOffset={6}
        collisionPadding={8}
        className="enter z-62 max-h-(--radix-popover-content-available-height) scroll-pb-14 overflow-y-auto text-left text-base font-normal whitespace-normal text-text w-72 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-surface p-3 shadow-float"
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
