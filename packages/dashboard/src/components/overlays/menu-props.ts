import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import type { TriggerProps } from './closed-trigger.ts';

export interface MenuProps {
  readonly button: ReactElement<TriggerProps>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly className?: string;
}

export interface MenuItemProps {
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  /** Why the item cannot be selected now. */
  readonly unavailable?: string | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export interface MenuLinkProps {
  readonly icon: LucideIcon;
  readonly href: string;
  readonly children: ReactNode;
}

export interface MenuRadioGroupProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly choices: readonly { readonly value: T; readonly label: ReactNode }[];
}

export interface MenuCheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}
