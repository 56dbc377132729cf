import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ComponentProps, type MouseEvent, useId } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Link, type LinkProps } from '../../navigation/navigation.tsx';
import { Icon } from './icon.tsx';
import { Tooltip } from './tooltip.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'sm' | 'md';

const looks: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-accent-solid text-white hover:bg-accent-solid-hover shadow-sm',
  secondary: 'border-line-control bg-surface text-text hover:bg-hover shadow-sm',
  quiet: 'border-transparent text-text-2 hover:bg-hover hover:text-text',
  danger: 'border-transparent bg-bad-solid text-white hover:bg-bad-solid-hover shadow-sm',
};

const sizes: Readonly<Record<ButtonSize, string>> = {
  sm: 'min-h-7 px-2 py-0.5 text-sm gap-1.5',
  md: 'min-h-9 px-3 py-1 text-base gap-2',
};

const shape =
  'inline-flex items-center justify-center rounded-md border font-medium transition-colors select-none text-center';
const unavailable = 'aria-disabled:opacity-55 aria-disabled:shadow-none';

const lookOf = (variant: ButtonVariant, size: ButtonSize, className?: string) =>
  cx(shape, unavailable, looks[variant], sizes[size], className);

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: LucideIcon;
  /** The action is running; pressing the button again has no effect. */
  readonly busy?: boolean;
  /** Why the button is disabled. It stays in the tab order, and screen readers read the reason with its name. */
  readonly unavailable?: string | undefined;
}

/** A button. `type` is `button` by default. */
export function Button(props: ButtonProps) {
  const { variant = 'secondary', size = 'md', icon, busy = false, unavailable: reason, ...rest } = props;
  const hint = useId();
  const stopped = busy || reason !== undefined;
  const button = (
    <button
      type="button"
      {...rest}
      className={lookOf(variant, size, rest.className)}
      aria-disabled={stopped || undefined}
      aria-describedby={cx(rest['aria-describedby'], reason !== undefined && hint) || undefined}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (stopped) event.preventDefault();
        else rest.onClick?.(event);
      }}
    >
      {busy ? (
        <Icon of={LoaderCircle} className="size-4 animate-spin" />
      ) : (
        icon !== undefined && <Icon of={icon} />
      )}
      {rest.children}
    </button>
  );
  // Wrapped in a tooltip even without a reason, so that the button is not remounted when a reason appears and keeps the
  // focus.
  if (!('unavailable' in props)) return button;
  return (
    <>
      <Tooltip text={reason}>{button}</Tooltip>
      {reason !== undefined && (
        <span id={hint} hidden>
          {reason}
        </span>
      )}
    </>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** The accessible name, which is also shown as a tooltip. */
  readonly label: string;
  readonly icon: LucideIcon;
}

/** A button that shows only an icon. */
export function IconButton({
  label,
  icon,
  variant = 'quiet',
  size = 'md',
  className,
  ...rest
}: IconButtonProps) {
  const square = size === 'sm' ? 'size-7 px-0' : 'size-9 px-0';
  return (
    <Tooltip text={label}>
      <Button
        {...rest}
        aria-label={label}
        variant={variant}
        size={size}
        className={cx(square, className)}
        icon={icon}
      />
    </Tooltip>
  );
}

/** A link that looks like a button: for navigation, never for an action. */
export function ButtonLink({
  variant = 'secondary',
  size = 'md',
  icon,
  className,
  children,
  ...rest
}: LinkProps & { readonly variant?: ButtonVariant; readonly size?: ButtonSize; readonly icon?: LucideIcon }) {
  return (
    <Link {...rest} className={lookOf(variant, size, className)}>
      {icon !== undefined && <Icon of={icon} />}
      {children}
    </Link>
  );
}
