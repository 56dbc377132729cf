import { useState } from 'react';
import type { Answer } from '../../api/calls.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Textarea } from '../../components/forms/inputs.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../components/overlays/requests/dialog-change.ts';
import { KeyValue } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';

export type Item = Answer<'listApprovals'>['data'][number];

export interface Decision {
  readonly item: Item;
  readonly operation: 'approveRequest' | 'refuseRequest';
}

/** The queries that show approvals, or the effects of an approved request. */
const refreshed = [
  'listApprovals',
  'retrievePayment',
  'listPayments',
  'listRefunds',
  'listPaymentLinks',
  'retrieveHome',
] as const;

/** The actions that can wait for approval. */
export const actionWords = {
  refund: 'Refund',
  capture: 'Capture',
  payment_link: 'Payment link',
} as const;

/**
 * Approves or refuses one request, with a reason for the audit log.
 * @param decision undefined if the dialog is closed
 */
export function DecideDialog({
  decision,
  onClose,
}: {
  readonly decision: Decision | undefined;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const approves = decision?.operation === 'approveRequest';
  const what = actionWords[decision?.item.approval.action ?? 'refund'].toLowerCase();
  const open = decision !== undefined;
  const close = () => {
    setReason('');
    change.reset();
    onClose();
  };
  const change = useDialogChange(decision?.operation ?? 'approveRequest', refreshed, {
    open,
    onClose: close,
  });
  const send = () => {
    if (decision === undefined) return;
    const body = reason.trim() === '' ? {} : { reason: reason.trim() };
    change.send({ params: { id: decision.item.approval.id }, body }, ({ failure }, closeThis) => {
      closeThis();
      if (failure === null) toast(approves ? `The ${what} was approved` : `The ${what} was refused`);
      else toast(`Approved, but it could not be done: ${failure.message}`, 'bad');
    });
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={close}
      title={`${approves ? 'Approve' : 'Refuse'} this ${what}?`}
      action={`${approves ? 'Approve' : 'Refuse'} ${what}`}
      danger={!approves}
      busy={change.busy}
      error={change.error}
      onConfirm={send}
    >
      {decision !== undefined && <Facts {...decision.item} />}
      {approves && decision?.item.own && (
        <p className="font-medium">
          You asked for this yourself, or made the key that did or one before it. Nobody who has no part in it
          could approve it, so you may.
        </p>
      )}
      <p>
        {approves
          ? 'It is done at once, and cannot be taken back here.'
          : 'Nothing is done. Who asked gets your reason.'}
      </p>
      <Field label="Reason" optional>
        <Textarea
          name="reason"
          rows={2}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </ConfirmDialog>
  );
}

const Facts = ({ approval, requester, why, reference }: Item) => (
  <KeyValue
    pairs={[
      { key: 'Amount', value: <Money amount={approval.amount} currency={approval.currency} code /> },
      {
        key: approval.resource === null ? 'Payment link' : 'Payment',
        value: reference ?? <code className="font-mono text-sm">{approval.resource}</code>,
      },
      { key: 'Asked for by', value: requester ?? approval.requested_by },
      { key: 'Why', value: why ?? undefined },
    ]}
  />
);
