import { type FormEvent, useState } from 'react';
import { useChange } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-state.tsx';
import { Field } from '../../components/field.tsx';
import { TextInput } from '../../components/inputs.tsx';
import { Money } from '../../components/money.tsx';
import { toast } from '../../components/toasts.tsx';
import { formatMoney, fromDecimal, toDecimal } from '../../lib/money.ts';
import { newIdempotencyKey } from '../../lib/random.ts';
import { type Detail, refreshed } from './detail.ts';

interface Props {
  readonly onClose: () => void;
  readonly dispute: Detail['dispute'];
}

/** Gives a dispute up, once somebody has typed its amount. */
export function AcceptDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Accept the loss">
      <AcceptForm {...props} />
    </Dialog>
  );
}

function AcceptForm({ onClose, dispute: { id, amount, currency } }: Props) {
  // One key for this dialog: pressed twice, it acts once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const accept = useChange('acceptDispute', refreshed);
  const money = formatMoney(amount, currency, navigator.language);
  const typed = toDecimal(amount, currency);
  const matches = fromDecimal(text, currency) === amount;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!matches || accept.isPending) return;
    accept.mutate(
      { params: { id }, body: { amount }, idempotencyKey },
      {
        onSuccess() {
          onClose();
          toast(`The dispute of ${money} was accepted`);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <p className="text-2xl font-semibold">
        <Money amount={amount} currency={currency} code />
      </p>
      <p className="mt-2 text-text-2">
        The buyer keeps this amount, and the dispute is closed. Nothing is refunded in addition. This cannot
        be undone: the payment can no longer be defended.
      </p>
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
      <ErrorNote error={accept.error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="danger" busy={accept.isPending}>
          Accept the loss of {money}
        </Button>
      </DialogActions>
    </form>
  );
}
