import { type FormEvent, useState } from 'react';
import { type Body, useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select, TextInput } from '../../components/forms/inputs.tsx';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney, fromDecimal } from '../../lib/amounts/money.ts';
import { formatTime } from '../../lib/amounts/time.ts';
import { disputeReasons, disputeStates } from '../../lib/wording/dispute-words.ts';
import type { SandboxState } from './state.ts';
import { useRefreshAll } from './state.ts';

type Disputable = SandboxState['disputable'][number];
type DisputeInput = Body<'openSandboxDispute'>;

const named = ({ amount, currency, reference, id, created_at: made }: Disputable) =>
  `${formatMoney(amount, currency, language())} ${currency} · ${reference ?? id} · ${formatTime(made)}`;

/** The form that opens a dispute of a payment. */
export function DisputeForm({ payments }: { readonly payments: readonly Disputable[] }) {
  if (payments.length === 0) {
    return (
      <EmptyState title="No payment to dispute">Only a payment that succeeded can be disputed.</EmptyState>
    );
  }
  return <Form payments={payments} />;
}

function Form({ payments }: { readonly payments: readonly Disputable[] }) {
  const form = useDisputeForm(payments);
  const { values, set } = form;
  const of = (field: keyof typeof values) => ({
    name: `dispute-${field}`,
    value: values[field],
    onChange: (event: { target: { value: string } }) => set(field, event.target.value),
  });
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-[2fr_1fr_1fr_1fr]">
        <Field label="Payment" hint="The newest that succeeded.">
          <Select
            choices={payments.map((payment) => ({ value: payment.id, label: named(payment) }))}
            {...of('payment')}
            value={form.payment?.id ?? ''}
          />
        </Field>
        <Field label="Opens as">
          <Select choices={disputeStates} {...of('state')} />
        </Field>
        <Field label="Reason">
          <Select choices={disputeReasons} {...of('reason')} />
        </Field>
        <Field
          label={`Amount in ${form.payment?.currency ?? ''}`}
          hint="All of it, where it stays empty."
          error={form.fault}
          optional
        >
          <TextInput inputMode="decimal" autoComplete="off" {...of('amount')} />
        </Field>
      </div>
      <ErrorNote error={form.error} fields={['amount']} />
      <div>
        <Button type="submit" variant="primary" busy={form.busy}>
          Open the dispute
        </Button>
      </div>
    </form>
  );
}

function useDisputeForm(payments: readonly Disputable[]) {
  const open = useChange('openSandboxDispute');
  const refresh = useRefreshAll();
  const [values, setValues] = useState({
    payment: '',
    state: 'chargeback',
    reason: 'fraudulent',
    amount: '',
  });
  const [tried, setTried] = useState(false);
  const payment = payments.find(({ id }) => id === values.payment) ?? payments[0];
  const whole = values.amount.trim() === '';
  const amount = whole || payment === undefined ? undefined : fromDecimal(values.amount, payment.currency);
  const fault = whole || (amount ?? 0) > 0 ? undefined : 'Enter an amount above zero.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (open.isPending || payment === undefined || fault !== undefined) return;
    const body = {
      state: values.state as NonNullable<DisputeInput['state']>,
      reason: values.reason as NonNullable<DisputeInput['reason']>,
      ...(amount === undefined ? {} : { amount }),
    };
    open.mutate(
      { params: { id: payment.id }, body },
      { onSuccess: () => toast('Dispute opened'), onSettled: refresh },
    );
  };
  return {
    values,
    set: (field: keyof typeof values, value: string) => setValues({ ...values, [field]: value }),
    payment,
    submit,
    busy: open.isPending,
    error: open.error,
    fault: (tried ? fault : undefined) ?? fieldError(open.error, 'amount'),
  };
}
