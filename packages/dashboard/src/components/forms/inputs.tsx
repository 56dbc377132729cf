import type { ComponentProps } from 'react';
import { cx } from '../../lib/class-names.ts';
import { useField } from './field.tsx';

/** A single-line text input. Pass a `name` and, if one fits, an `autoComplete` token. */
export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" {...useField()} {...rest} className={cx('control', className)} />;
}

/** A multi-line text input. */
export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={4} {...useField()} {...rest} className={cx('control', className)} />;
}

/** A date input. The value is `YYYY-MM-DD`; the browser shows it in the reader's order. */
export function DateInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="date" {...useField()} {...rest} className={cx('control tabular-nums', className)} />;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A choice from a list. It uses the browser's own control, which every phone and screen reader supports. */
export function Select({
  choices,
  empty,
  className,
  ...rest
}: ComponentProps<'select'> & { readonly choices: readonly Choice[]; readonly empty?: string }) {
  return (
    <select {...useField()} {...rest} className={cx('control pr-8', className)}>
      {empty !== undefined && <option value="">{empty}</option>}
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
