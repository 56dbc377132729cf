import { cloneElement, type ReactNode, useState } from 'react';
import { lazyModule } from '../../navigation/lazy-part.tsx';
import { closedTrigger } from './closed-trigger.ts';
import type { PopoverProps } from './popover-part.tsx';

/** The popover library is in a chunk of its own, because no page needs it at first. */
const part = lazyModule(() => import('./popover-part.tsx'));

/**
 * A small panel beside a button, for a short form. It is not modal; Escape and a click outside close it. `OpenedMenu`
 * explains why it is not in a portal. The button is a plain one until it is first pressed.
 * @param load loads the form before the panel opens, so that the focus goes to its first field
 */
export function Popover({ load, ...props }: PopoverProps & { readonly load?: () => Promise<unknown> }) {
  const [wasOpened, setOpened] = useState(false);
  const loaded = part.get();
  if (wasOpened && loaded !== undefined) return <loaded.OpenedPopover {...props} />;
  const open = async () => {
    await Promise.all([part.load(), load?.()]);
    setOpened(true);
    props.onOpenChange(true);
  };
  return cloneElement(
    props.button,
    closedTrigger('dialog', props.button.props, () => void open()),
  );
}

/** The button of a popover's form. It sticks to the bottom, so that it stays visible below a long list of choices. */
export const PopoverActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="sticky -bottom-3 z-1 -mx-3 -mb-3 flex flex-col bg-surface px-3 pt-2 pb-3">{children}</div>
);
