import { cloneElement, createElement, type ReactNode, useState } from 'react';
import { lazyModule } from '../../navigation/lazy-part.tsx';
import { closedTrigger, type OpenedBy } from './closed-trigger.ts';
import type {
  MenuCheckboxProps,
  MenuItemProps,
  MenuLinkProps,
  MenuProps,
  MenuRadioGroupProps,
} from './menu-props.ts';

/** The menu library is in a chunk of its own, because no page needs it at first. */
const parts = lazyModule(() => import('./menu-parts.tsx'));

/** A menu button. It is a plain button until it is first pressed, and opens once the menu's chunk is loaded. */
export function Menu(props: MenuProps) {
  const [by, setBy] = useState<OpenedBy>();
  const loaded = parts.get();
  if (by !== undefined && loaded !== undefined) return <loaded.OpenedMenu {...props} by={by} />;
  const open = async (how: OpenedBy) => {
    await parts.load();
    setBy(how);
  };
  return cloneElement(
    props.button,
    closedTrigger('menu', props.button.props, (how) => void open(how)),
  );
}

// Only the open menu renders its entries, so their chunk is loaded.

/** One action. */
export const MenuItem = (props: MenuItemProps) => render(parts.get()?.MenuItem, props);

/** A link to another site, which opens in a new tab. */
export const MenuLink = (props: MenuLinkProps) => render(parts.get()?.MenuLink, props);

/** A group of radio items. */
export const MenuRadioGroup = <T extends string>(props: MenuRadioGroupProps<T>) =>
  render(parts.get()?.MenuRadioGroup<T>, props);

/** A checkbox item; the menu stays open. */
export const MenuCheckbox = (props: MenuCheckboxProps) => render(parts.get()?.MenuCheckbox, props);

export const MenuLabel = (props: { readonly children: ReactNode }) => render(parts.get()?.MenuLabel, props);

export const MenuLine = () => render(parts.get()?.MenuLine, {});

const render = <P extends object>(part: ((props: P) => ReactNode) | undefined, props: P): ReactNode =>
  part === undefined ? null : createElement(part, props);
