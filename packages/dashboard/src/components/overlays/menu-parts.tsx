import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import type { OpenedBy } from './closed-trigger.ts';
import type {
  MenuCheckboxProps,
  MenuItemProps,
  MenuLinkProps,
  MenuProps,
  MenuRadioGroupProps,
} from './menu-props.ts';

const itemLook =
  'flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:text-text-3';

/**
 * The menu of a button that has been opened at least once. It is not modal, because Radix's scroll lock inserts a style
 * element, which the content security policy forbids. It is not in a portal, so that it stays inside its landmark or
 * dialog; its fixed position prevents clipping.
 */
export function OpenedMenu({
  button,
  children,
  align = 'end',
  className,
  by,
}: MenuProps & { readonly by: OpenedBy }) {
  const [open, setOpen] = useState(by === 'pointer');
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (by === 'pointer') return;
    // This button has replaced the one that had the focus. Radix highlights the first entry for keyboard users.
    trigger.current?.focus();
    trigger.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
  }, [by]);
  return (
    <Radix.Root modal={false} open={open} onOpenChange={setOpen}>
      <Radix.Trigger asChild ref={trigger}>
        {button}
      </Radix.Trigger>

      <Radix.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className={cx(
          'enter z-62 text-left text-base font-normal whitespace-normal text-text max-h-(--radix-dropdown-menu-content-available-height) min-w-[min(13rem,100vw-1rem)] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float',
          className,
        )}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}

/** One action. `unavailable` says why it cannot be selected now. */
export function MenuItem({ icon, danger = false, unavailable, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      disabled={unavailable !== undefined}
      onSelect={onSelect}
      className={cx(itemLook, danger && 'text-bad data-disabled:text-text-3')}
    >
      {icon !== undefined && <Icon of={icon} />}
      <span className="min-w-0 flex-1">
        {children}
        {unavailable !== undefined && <span className="block text-xs">{unavailable}</span>}
      </span>
    </Radix.Item>
  );
}

/** A link to another site, which opens in a new tab. */
export function MenuLink({ icon, href, children }: MenuLinkProps) {
  return (
    <Radix.Item asChild className={itemLook}>
      <a href={href} target="_blank" rel="noreferrer">
        <Icon of={icon} />
        <span className="min-w-0 flex-1">{children}</span>
      </a>
    </Radix.Item>
  );
}

/** A group of radio items. */
export function MenuRadioGroup<T extends string>({
  label,
  value,
  onChange,
  choices,
}: MenuRadioGroupProps<T>) {
  return (
    <>
      <MenuLabel>{label}</MenuLabel>
      <Radix.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as T)}>
        {choices.map((choice) => (
          <Radix.RadioItem
            key={choice.value}
            value={choice.value}
            onSelect={(event) => event.preventDefault()}
            className={itemLook}
          >
            <span className="min-w-0 flex-1">{choice.label}</span>
            <Radix.ItemIndicator>
              <Icon of={Check} />
            </Radix.ItemIndicator>
          </Radix.RadioItem>
        ))}
      </Radix.RadioGroup>
    </>
  );
}

/** A checkbox item; the menu stays open. */
export function MenuCheckbox({ checked, onChange, children }: MenuCheckboxProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={itemLook}
    >
      <span className="min-w-0 flex-1">{children}</span>
      <Radix.ItemIndicator>
        <Icon of={Check} />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-text-3">{children}</Radix.Label>
);

export const MenuLine = () => <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
