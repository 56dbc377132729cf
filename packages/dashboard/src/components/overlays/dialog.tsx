import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import { lazyPart } from '../../navigation/lazy-part.tsx';
import type { DialogProps } from './modal.tsx';

const widths = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-3xl' } as const;

/** The dialog library is in a chunk of its own, because no page needs it at first. */
const Modal = lazyPart(() => import('./modal.tsx'), 'Modal');

/** A modal dialog. Returns the focus to its opener. */
export function Dialog(props: DialogProps) {
  const width = widths[props.size ?? 'sm'];
  return (
    <Modal
      {...props}
      kind="dialog"
      place="items-end justify-center p-2 sm:items-start sm:pt-[12vh]"
      frame={cx(
        'enter overflow-clip max-h-[max(50dvh,calc(100dvh-1rem-var(--messages,0px)))] w-full rounded-lg border sm:max-h-[80vh]',
        width,
      )}
    />
  );
}

/** A panel with details at the right side of the page; full screen on phones. */
export function Drawer(props: DialogProps) {
  const width = widths[props.size ?? 'md'];
  return (
    <Modal
      {...props}
      kind="drawer"
      place="justify-end"
      frame={cx('enter-side h-dvh w-full sm:border-l', width)}
    />
  );
}

/** A panel with the navigation at the left side of the page, where its button is; full screen on phones. */
export const SideMenu = (props: DialogProps) => (
  <Modal
    {...props}
    kind="side-menu"
    place="justify-start"
    frame={cx('enter-left h-dvh w-full sm:border-r', widths.sm)}
  />
);

/**
 * The buttons of a dialog, which stay visible at the end of its form. The primary button is first in reading order and
 * stands at the right.
 */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="-bottom-4 z-1 [@media(min-height:30rem)]:sticky -mx-5 mt-5 -mb-4 flex flex-wrap-reverse justify-end gap-2 border-t [&>button]:max-w-full [&>button]:wrap-anywhere border-line bg-surface px-5 pt-3.5 pb-4">
    {children}
  </div>
);
