import { type FormEvent, useState } from 'react';
import type { Answer, Body } from '../../../api/calls.ts';
import { useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Select, Textarea, TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useIdempotentRequest } from '../../../components/overlays/requests/idempotent-request.ts';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { Money } from '../../../components/values/money.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney, fromDecimal, toDecimal } from '../../../lib/amounts/money.ts';
import { refundReasons } from '../../../lib/wording/refund-words.ts';
import { WaitsForApproval } from '../../approvals/waits-for-approval.tsx';
import { type Detail, refreshed, useRefetchPayment } from './detail.ts';

type Reason = NonNullable<Body<'refundPayment'>['reason']>;
type Refund = Extract<Answer<'refundPayment'>, { object: 'refund' }>;

interface Props {
  readonly onClose: () => void;
  readonly detail: Detail;
}

/** Refunds the remaining amount of a payment or a part of it. */
export function RefundDialog({ open, onClose, detail }: Props & { readonly open: boolean }) {
  // The hook stands outside the dialog: closing the dialog while its refund is in flight must not make a second refund
  // possible.
  const refund = useRefund({ open, onClose, detail });
  const close = () => {
    refund.forget();
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title="Refund payment">
      <RefundForm refund={refund} onClose={close} />
    </Dialog>
  );
}

const noteLength = 500;

/** The validation error of a typed amount; undefined if it is valid. */
function amountFault(text: string, { money, payment: { currency } }: Detail): string | undefined {
  const { remaining, refund_limit: limit } = money;
  const amount = fromDecimal(text, currency);
  if (amount === undefined) return `Enter an amount, like ${toDecimal(maxOf(money), currency)}.`;
  if (amount < 1) return 'Enter more than zero.';
  if (amount > remaining) return `At most ${toDecimal(remaining, currency)} ${currency} is left to refund.`;
  if (limit !== null && amount > limit) {
    return `Your role may refund at most ${toDecimal(limit, currency)} ${currency} at once.`;
  }
  return undefined;
}

/** The largest amount that the person may refund at once, in minor units. */
const maxOf = ({ remaining, refund_limit: limit }: Detail['money']): number =>
  limit === null ? remaining : Math.min(remaining, limit);

function useRefund({ open, onClose, detail }: Props & { readonly open: boolean }) {
  const [asked, setAsked] = useState(detail);
  const onError = useRefetchPayment();
  const { send, answer, ...state } = useIdempotentRequest('refundPayment', refreshed, open, {
    onAnswer(refund, mayClose) {
      if (refund.object === 'approval') {
        if (!mayClose) toast('The refund waits for approval');
        return !mayClose;
      }
      if (mayClose) onClose();
      toastResult(refund);
      return true;
    },
    onError,
  });
  // A retry sends the original request, even if the page has received newer data of the payment meanwhile.
  const detailShown = state.begun === undefined ? detail : asked;
  return {
    detail: detailShown,
    ...state,
    /** The refund with an unknown outcome. */
    begun: state.begun?.body,
    send: (body: Body<'refundPayment'>) => {
      setAsked(detailShown);
      send({ params: { id: detail.payment.id }, body });
    },
    approval: answer?.object === 'approval' ? answer : undefined,
  };
}

/** The outcome as a toast. */
function toastResult({ status, amount, currency, failure }: Refund): void {
  const money = formatMoney(amount, currency, language());
  if (status === 'failed') toast(`The refund of ${money} failed: ${failure?.message ?? ''}`, 'bad');
  else toast(`Refund of ${money} is on its way`);
}

function RefundForm({
  refund,
  onClose,
}: {
  readonly refund: ReturnType<typeof useRefund>;
  readonly onClose: () => void;
}) {
  const { detail, send, noteEdit, begun, busy, error, approval } = refund;
  const { currency } = detail.payment;
  const { remaining } = detail.money;
  const max = maxOf(detail.money);
  // A dialog that is opened again while its refund is in flight shows that refund.
  const [part, setPart] = useState(max < remaining || (begun !== undefined && begun.amount !== remaining));
  const [text, setText] = useState(
    part && begun?.amount !== undefined ? toDecimal(begun.amount, currency) : '',
  );
  const [reason, setReason] = useState<Reason | ''>(begun?.reason ?? '');
  const [note, setNote] = useState(begun?.note ?? '');
  const [tried, setTried] = useState(false);
  const fault = part ? amountFault(text, detail) : undefined;
  const amount = part ? fromDecimal(text, currency) : remaining;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined || amount === undefined || busy) return;
    send({
      amount,
      ...(reason === '' ? {} : { reason }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    });
  };
  const money = (value: number) => formatMoney(value, currency, language());
  if (approval !== undefined) return <WaitsForApproval approval={approval} onClose={onClose} />;
  return (
    <form onSubmit={submit} onChange={noteEdit} noValidate className="flex flex-col gap-4">
      <Sums detail={detail} />
      {max < remaining ? (
        <LimitNote max={money(max)} />
      ) : (
        <RadioGroup
          legend="How much"
          name="how-much"
          value={part ? 'part' : 'all'}
          onChange={(value) => setPart(value === 'part')}
          choices={[
            { value: 'all', label: `All that is left: ${money(remaining)}` },
            { value: 'part', label: 'A part of it' },
          ]}
        />
      )}
      {part && (
        <Field
          label={`Amount in ${currency}`}
          hint={`At most ${toDecimal(max, currency)}.`}
          error={tried ? (fault ?? fieldError(error, 'amount')) : undefined}
          required
        >
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      )}
      <WhyFields reason={reason} onReason={setReason} note={note} onNote={setNote} />
      <ErrorNote error={error} fields={part ? ['amount'] : []} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {amount === undefined || fault !== undefined ? 'Refund' : `Refund ${money(amount)}`}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Says that the role's limit is below the refundable amount. */
function LimitNote({ max }: { readonly max: string }) {
  const role = useWorkspace()?.role ?? 'present';
  return (
    <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      Your role ({role}) may refund at most <bdi>{max}</bdi> at once. Owners and admins may refund more.
    </p>
  );
}

/** The reason of the refund for the processor, and a note for the team. */
function WhyFields({
  reason,
  onReason,
  note,
  onNote,
}: {
  readonly reason: Reason | '';
  readonly onReason: (reason: Reason | '') => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
}) {
  return (
    <>
      <Field label="Reason" optional>
        <Select
          value={reason}
          onChange={({ target }) => onReason(target.value as Reason | '')}
          empty="No reason"
          choices={refundReasons.map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <Field label="Note" hint="For your team. The buyer does not see it." optional>
        <Textarea
          rows={2}
          maxLength={noteLength}
          value={note}
          onChange={({ target }) => onNote(target.value)}
        />
      </Field>
    </>
  );
}

/** The paid and the refunded amount. */
function Sums({ detail: { payment, money } }: { readonly detail: Detail }) {
  const { currency } = payment;
  const sum = (amount: number) => <Money amount={amount} currency={currency} />;
  return (
    <KeyValue
      pairs={[
        { key: 'Paid', value: sum(payment.amount) },
        { key: 'Already refunded', value: sum(money.refunded) },
        ...(money.refund_pending > 0 ? [{ key: 'Refunds under way', value: sum(money.refund_pending) }] : []),
        ...(money.disputed > 0 ? [{ key: 'Kept by disputes', value: sum(money.disputed) }] : []),
        { key: 'Left to refund', value: <b className="font-semibold">{sum(money.remaining)}</b> },
      ]}
    />
  );
}
