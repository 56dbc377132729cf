import { type FormEvent, type ReactNode, useState } from 'react';
import { fromDecimal, toDecimal } from '../../lib/amounts/money.ts';
import { Button } from '../buttons/button.tsx';
import { ErrorNote } from '../feedback/error-state.tsx';
import { Field } from '../forms/field.tsx';
import { TextInput } from '../forms/inputs.tsx';
import { Money } from '../values/money.tsx';
import { DialogActions } from './dialog.tsx';

/** The form of a dialog that acts on an amount of money. The person types the amount as confirmation. */
export function TypedAmountForm({
  amount,
  currency,
  action,
  variant,
  busy,
  error,
  onConfirm,
  onClose,
  children,
}: {
  readonly amount: number;
  readonly currency: string;
  /** The button's label. */
  readonly action: string;
  readonly variant: 'primary' | 'danger';
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}) {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const typed = toDecimal(amount, currency);
  const matches = fromDecimal(text, currency) === amount;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (matches && !busy) onConfirm();
  };
  return (
    <form onSubmit={submit} noValidate>
      <p className="text-2xl font-semibold">
        <Money amount={amount} currency={currency} code />
      </p>
      <p className="mt-2 text-text-2">{children}</p>
      <Field
        className="mt-4"
        label={
          <>
            Type the amount, <b className="font-semibold select-all">{typed}</b>, to go on
          </>
        }
        error={tried && !matches ? `Type ${typed}.` : undefined}
        required
      >
        <TextInput
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <ErrorNote error={error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={variant} busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
