import { X } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Button } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';
import { Popover } from '../overlays/popover.tsx';

/** Moves the focus from a button that disappears when pressed to the first button beside it. */
const leaveFocus = ({ currentTarget }: MouseEvent<HTMLElement>): void =>
  currentTarget.parentElement?.querySelector('button')?.focus();

/** The button that clears all filters of a list. */
export const ClearFilters = ({ onClear }: { readonly onClear: () => void }) => (
  <Button
    variant="quiet"
    size="sm"
    onClick={(event) => {
      leaveFocus(event);
      onClear();
    }}
  >
    Clear filters
  </Button>
);

/** One filter as a chip: its button opens the filter's form, a second one removes the filter. */
export function FilterChip({
  label,
  words,
  open,
  onOpenChange,
  load,
  onRemove,
  children,
}: {
  readonly label: string;
  /** The value of the filter in words; '' if it is not set. */
  readonly words: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Loads the form before the popover opens. */
  readonly load?: () => Promise<unknown>;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}) {
  const active = words !== '';
  return (
    <span
      className={cx(
        'inline-flex min-h-7 max-w-full items-center rounded-full border text-sm font-medium',
        active ? 'border-accent bg-accent-soft' : 'border-dashed border-line-strong',
      )}
    >
      <Popover
        label={`Filter by ${label.toLowerCase()}`}
        open={open}
        onOpenChange={onOpenChange}
        {...(load !== undefined && { load })}
        button={
          <button
            type="button"
            className={cx(
              'flex min-h-6.5 min-w-0 items-center rounded-full pl-2.5 whitespace-nowrap',
              active ? 'pr-1' : 'pr-2.5 text-text-2 hover:text-text',
            )}
          >
            {label}
            {active && (
              <>
                :&nbsp;
                <span dir="auto" className="max-w-52 truncate text-accent">
                  {words}
                </span>
              </>
            )}
          </button>
        }
      >
        {children}
      </Popover>
      {active && (
        <button
          type="button"
          aria-label={`Remove filter ${label}`}
          onClick={(event) => {
            leaveFocus(event);
            onRemove();
          }}
          className="grid size-6.5 shrink-0 place-items-center rounded-full text-text-2 hover:text-text"
        >
          <Icon of={X} className="size-3.5" />
        </button>
      )}
    </span>
  );
}
