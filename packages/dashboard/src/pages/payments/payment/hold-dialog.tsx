import { useState } from 'react';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { TypedAmountForm } from '../../../components/overlays/typed-amount.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import { captureDeclined } from '../../../lib/wording/failure-texts.ts';
import { WaitsForApproval } from '../../approvals/waits-for-approval.tsx';
import { type Detail, refreshed, useRefetchPayment } from './detail.ts';

const words = {
  capture: {
    operation: 'capturePayment',
    title: 'Capture payment',
    action: 'Capture',
    explanation:
      'The whole held amount is collected from the buyer. A part of it cannot be captured, and a capture cannot be taken back: refund it if need be.',
  },
  void: {
    operation: 'voidPayment',
    title: 'Void payment',
    action: 'Void',
    explanation:
      'The hold is released, and no money is taken. This cannot be undone: to be paid, the buyer has to pay again.',
  },
} as const;

interface Props {
  readonly kind: keyof typeof words;
  readonly onClose: () => void;
  readonly detail: Detail;
}

/**
 * Captures a hold, or voids it after the person has typed its amount: after a void the money can no longer be
 * collected.
 */
export function HoldDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title={words[props.kind].title}>
      <HoldForm {...props} />
    </Dialog>
  );
}

/** The outcome as a toast. */
function resultOf(
  kind: Props['kind'],
  { status, failure, amount, currency }: Detail['payment'],
): [words: string, tone: 'good' | 'bad'] {
  const money = formatMoney(amount, currency, language());
  if (status === 'failed') return [`${captureDeclined(failure?.code ?? 'declined')}.`, 'bad'];
  return [kind === 'capture' ? `${money} captured` : `Hold of ${money} released`, 'good'];
}

function HoldForm({ kind, onClose, detail }: Props) {
  const { operation, action, explanation } = words[kind];
  const { id, amount, currency } = detail.payment;
  // One idempotency key per dialog, so that a double click sends one request.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const change = useDialogChange(operation, refreshed, { open: true, onClose }, useRefetchPayment());
  const confirm = () =>
    change.send({ params: { id }, body: { amount }, idempotencyKey }, (payment, close, isOpen) => {
      if (payment.object === 'approval') {
        if (!isOpen) toast(`The ${kind} waits for approval`);
        return;
      }
      close();
      toast(...resultOf(kind, payment));
    });
  if (change.answer?.object === 'approval') {
    return <WaitsForApproval approval={change.answer} onClose={onClose} />;
  }
  const label = `${action} ${formatMoney(amount, currency, language())}`;
  if (kind === 'capture') {
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
        className="flex flex-col gap-4"
      >
        <p>{explanation}</p>
        <ErrorNote error={change.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={change.busy}>
            {label}
          </Button>
        </DialogActions>
      </form>
    );
  }
  return (
    <TypedAmountForm
      amount={amount}
      currency={currency}
      action={label}
      variant="danger"
      busy={change.busy}
      error={change.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {explanation}
    </TypedAmountForm>
  );
}
