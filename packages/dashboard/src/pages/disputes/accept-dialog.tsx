import { useState } from 'react';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../components/overlays/requests/dialog-change.ts';
import { TypedAmountForm } from '../../components/overlays/typed-amount.tsx';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { type Detail, refreshed } from './answer/detail.ts';

interface Props {
  readonly onClose: () => void;
  readonly dispute: Detail['dispute'];
}

/** Accepts a dispute after the person has typed its amount as confirmation. */
export function AcceptDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Accept the loss">
      <AcceptForm {...props} />
    </Dialog>
  );
}

function AcceptForm({ onClose, dispute: { id, amount, currency } }: Props) {
  // One idempotency key per dialog, so that a double click sends one request.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const accept = useDialogChange('acceptDispute', refreshed, { open: true, onClose });
  const money = formatMoney(amount, currency, language());
  const confirm = () =>
    accept.send({ params: { id }, body: { amount }, idempotencyKey }, (_, close) => {
      close();
      toast(`The dispute of ${money} was accepted`);
    });
  return (
    <TypedAmountForm
      amount={amount}
      currency={currency}
      action={`Accept the loss of ${money}`}
      variant="danger"
      busy={accept.busy}
      error={accept.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      The buyer keeps this amount, and the dispute is closed. Nothing is refunded in addition. This cannot be
      undone: the payment can no longer be defended.
    </TypedAmountForm>
  );
}
