import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';

const itemLook =
  'flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:text-text-3';

/**
 * A menu button. Not modal: Radix's scroll lock inserts a style element, which the content security policy forbids. Not
 * in a portal, so that it stays inside its landmark or dialog; its fixed position keeps it from being clipped.
 */
export function Menu({
  button,
  children,
  align = 'end',
  className,
}: {
  readonly button: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly className?: string;
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>

      <Radix.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className={cx(
          'enter z-50 text-left text-base font-normal whitespace-normal text-text max-h-(--radix-dropdown-menu-content-available-height) min-w-52 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float',
          className,
        )}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}

/** One action. `unavailable` says why it cannot be chosen now. */
export function MenuItem({
  icon,
  danger = false,
  unavailable,
  onSelect,
  children,
}: {
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  readonly unavailable?: string | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
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

/** A link out of the dashboard, in a new tab. */
export function MenuLink({
  icon,
  href,
  children,
}: {
  readonly icon: LucideIcon;
  readonly href: string;
  readonly children: ReactNode;
}) {
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
}: {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly choices: readonly { readonly value: T; readonly label: ReactNode }[];
}) {
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
export function MenuCheckbox({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
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
