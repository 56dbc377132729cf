import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { cx } from '../../lib/class-names.ts';
import { IconButton } from '../buttons/button.tsx';

export interface DialogProps {
  readonly open: boolean;
  /** Called on Escape, on the close button and on a click outside. */
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly size?: 'sm' | 'md' | 'lg';
  /** If false, only the dialog's own buttons close it. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}

/** The control that opened a dialog. A menu item is unmounted by then, so for one this is the button of its menu. */
function openerOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]');
  const button = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '');
  return button ?? (element instanceof HTMLElement ? element : null);
}

const fields = 'input:not([type="hidden"], [type="radio"]), input[type="radio"]:checked, select, textarea';

/** The opener of the dialog that is closing. If another dialog replaces it, that one returns the focus there. */
let justClosed: HTMLElement | null = null;

/**
 * Moves the focus to the first field of the dialog, or to the dialog itself, and on close back to its opener; to `main`
 * if the opener is unmounted.
 */
function useDialogFocus(open: boolean) {
  const opener = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!open) return undefined;
    return () => {
      justClosed = opener.current;
    };
  }, [open]);
  return {
    onOpenAutoFocus: (event: Event) => {
      const before = document.activeElement;
      opener.current = before === document.body ? justClosed : openerOf(before);
      event.preventDefault();
      const dialog = event.target as HTMLElement;
      (dialog.querySelector<HTMLElement>(fields) ?? dialog).focus();
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      justClosed = null;
      if (document.querySelector('[data-modal]') !== null) return;
      const target = opener.current?.isConnected === true ? opener.current : document.getElementById('main');
      target?.focus({ preventScroll: true });
    },
  };
}

/** Focuses the first invalid field after a form was submitted, because the field may be out of sight. */
function focusInvalidField({ currentTarget: dialog }: FormEvent<HTMLElement>): void {
  requestAnimationFrame(() => dialog.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

const stay = (event: Event) => event.preventDefault();

/**
 * Keeps the dialog open when the person closes a message, which lies above it. The click is outside the dialog, but
 * closing the dialog would lose what was typed.
 */
function stayForMessages(event: Event): void {
  const isMessage = event.target instanceof Element && event.target.closest('[data-message]') !== null;
  if (isMessage) event.preventDefault();
}

export interface ModalProps extends DialogProps {
  readonly kind: 'dialog' | 'drawer' | 'side-menu';
  readonly frame: string;
  readonly place: string;
}

/**
 * The frame that dialogs and drawers share. It does not use Radix's overlay, which inserts a style element that the
 * content security policy forbids.
 */
export function Modal(props: ModalProps) {
  const { open, onClose, title, description, dismissable = true, children, kind, frame, place } = props;
  const focus = useDialogFocus(open);
  const keep = dismissable
    ? { onInteractOutside: stayForMessages }
    : { onEscapeKeyDown: stay, onInteractOutside: stay };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <div data-modal={kind} className="fixed inset-0 z-40 bg-black/45" />
        <div className={cx('pointer-events-none fixed inset-0 z-50 flex', place)}>
          <Radix.Content
            {...focus}
            onSubmit={focusInvalidField}
            {...keep}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
            className={cx('flex flex-col border-line bg-surface shadow-float', frame)}
          >
            <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-3.5">
              <div className="min-w-0 pt-1">
                <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
                {description !== undefined && (
                  <Radix.Description asChild>
                    <div className="mt-1 text-text-2">{description}</div>
                  </Radix.Description>
                )}
              </div>
              {dismissable && <IconButton label="Close" icon={X} onClick={onClose} className="-mr-2" />}
            </header>
            <div className="min-h-0 flex-1 scroll-pb-20 overflow-y-auto px-5 py-4">{children}</div>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}
