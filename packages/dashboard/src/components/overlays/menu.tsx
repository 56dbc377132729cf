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

/** With its library in a chunk of its own: no page begins with a menu. */
const parts = lazyModule(() => import('./menu-parts.tsx'));

/** A menu button. It is a plain button until it is chosen, and opens once the menu's chunk is there. */
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

// Entries are rendered by the open menu only, so their chunk is there.

/** One action. */
export const MenuItem = (props: MenuItemProps) => render(parts.get()?.MenuItem, props);

/** A link out of the dashboard, in a new tab. */
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
