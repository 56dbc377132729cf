import { Switch as RadixSwitch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from '../../lib/class-names.ts';

const box = 'mt-0.5 size-4 shrink-0 accent-accent-solid';

/** A checkbox with its label; the whole line is clickable. */
export function Checkbox({
  label,
  hint,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { readonly label: ReactNode; readonly hint?: ReactNode }) {
  const id = useId();
  return (
    <div className={cx('flex gap-2.5', className)}>
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
        className={box}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-text-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

export interface SwitchProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A switch, which takes effect at once. */
export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-text-3">
            {hint}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 inline-flex h-6 w-10 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition-colors data-[state=checked]:border-accent-solid data-[state=checked]:bg-accent-solid disabled:opacity-55"
      >
        <RadixSwitch.Thumb className="size-4.5 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-white" />
      </RadixSwitch.Root>
    </div>
  );
}

export interface RadioChoice {
  readonly value: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

/** Radio buttons under one legend. */
export function RadioGroup({
  legend,
  name,
  choices,
  value,
  onChange,
  cards = false,
}: {
  readonly legend: ReactNode;
  readonly name: string;
  readonly choices: readonly RadioChoice[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Frames each choice. */
  readonly cards?: boolean;
}) {
  const id = useId();
  const frame =
    'rounded-md border border-line-control p-3 has-checked:border-accent has-checked:bg-accent-soft';
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      {choices.map((choice) => (
        <div key={choice.value} className={cx('flex gap-2.5', cards && frame)}>
          <input
            type="radio"
            id={`${id}-${choice.value}`}
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            aria-describedby={choice.hint === undefined ? undefined : `${id}-${choice.value}-hint`}
            className={box}
          />
          <div className="min-w-0">
            <label htmlFor={`${id}-${choice.value}`} className={cards ? 'font-medium' : undefined}>
              {choice.label}
            </label>
            {choice.hint !== undefined && (
              <p id={`${id}-${choice.value}-hint`} className="text-sm text-text-2">
                {choice.hint}
              </p>
            )}
          </div>
        </div>
      ))}
    </fieldset>
  );
}
