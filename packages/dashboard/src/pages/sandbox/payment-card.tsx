import { walletType } from '@till/contract/processors';
import { X } from 'lucide-react';
import { useProcessor } from '../../api/session.ts';
import { Button, IconButton } from '../../components/buttons/button.tsx';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select, TextInput } from '../../components/forms/inputs.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PaymentResult } from './payment-result.tsx';
import type { SandboxState, Trigger } from './state.ts';
import { type PaymentForm, usePaymentForm } from './use-payment-form.ts';

/** Creates a payment with made-up data and with the trigger that is selected in the table below. */
export function PaymentCard({
  state,
  trigger,
  onClear,
}: {
  readonly state: SandboxState;
  readonly trigger: Trigger | undefined;
  readonly onClear: () => void;
}) {
  const form = usePaymentForm(trigger);
  return (
    <Card
      title="Make a payment"
      description="Sends what your server would send, with a made-up buyer. Without a trigger the payment is approved."
    >
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <ChosenTrigger trigger={trigger} onClear={onClear} />
        <Fields form={form} state={state} trigger={trigger} />
        <ErrorNote error={form.error} fields={['amount', 'currency', 'customer_email', 'customer.email']} />
        <div>
          <Button id="make-payment" type="submit" variant="primary" busy={form.busy}>
            Make the payment
          </Button>
        </div>
      </form>
      {form.made !== undefined && <PaymentResult payment={form.made} />}
    </Card>
  );
}

function ChosenTrigger({
  trigger,
  onClear,
}: {
  readonly trigger: Trigger | undefined;
  readonly onClear: () => void;
}) {
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-medium">Trigger</h3>
      {trigger === undefined ? (
        <p className="text-sm text-text-2">None. Choose one in the table below with “Use”.</p>
      ) : (
        <div className="flex items-start justify-between gap-2 rounded-md border border-accent bg-accent-soft px-3 py-2">
          <div className="min-w-0 text-sm">
            <code className="font-mono break-all">{trigger.value}</code>{' '}
            <span className="text-text-2">
              as <code className="font-mono break-all">{trigger.field}</code>
            </span>
            <p className="text-text-2">{trigger.outcome}</p>
          </div>
          <IconButton label="Without trigger" icon={X} size="sm" onClick={onClear} />
        </div>
      )}
    </div>
  );
}

const methods = [
  { value: 'card', label: 'Card', needs: undefined },
  { value: 'card_fields', label: 'Card fields', needs: 'card_fields' },
  { value: walletType, label: 'Wallet', needs: 'wallet' },
] as const;
const captures = [
  { value: 'automatic', label: 'At once' },
  { value: 'manual', label: 'Hold first' },
];
const authentications = [
  { value: 'automatic', label: 'Where the bank asks' },
  { value: 'always', label: 'Ask for a challenge' },
  { value: 'never', label: 'Skip it' },
];

function Fields({
  form,
  state,
  trigger,
}: {
  readonly form: PaymentForm;
  readonly state: SandboxState;
  readonly trigger: Trigger | undefined;
}) {
  const { values, set, faultOf } = form;
  const processor = useProcessor();
  const takes = processor?.browser_methods ?? [];
  const offered = methods.filter(({ needs }) => needs === undefined || takes.includes(needs));
  const typed = trigger?.field.startsWith('payment_method.') === true;
  const textOf = (field: 'amount' | 'currency' | 'email') => ({
    name: `sandbox-${field}`,
    autoComplete: 'off',
    spellCheck: false,
    value: values[field],
    onChange: (event: { target: { value: string } }) => set(field, event.target.value),
  });
  const choiceOf = (field: 'method' | 'capture' | 'authentication') => ({
    name: `sandbox-${field}`,
    value: values[field],
    onChange: (event: { target: { value: string } }) => set(field, event.target.value),
  });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Amount" error={faultOf('amount')} required>
        <TextInput inputMode="decimal" {...textOf('amount')} />
      </Field>
      <Field label="Currency" error={faultOf('currency')} hint="ISO 4217, such as EUR." required>
        <TextInput maxLength={3} {...textOf('currency')} />
      </Field>
      {offered.length > 1 && (
        <Field label="Method" hint={typed ? 'The trigger is part of a typed card.' : undefined}>
          <Select choices={typed ? methods.slice(0, 1) : offered} {...choiceOf('method')} />
        </Field>
      )}
      {processor?.holds === true && (
        <Field label="Capture">
          <Select choices={captures} {...choiceOf('capture')} />
        </Field>
      )}
      <Field label="3-D Secure" hint={`The connection says: ${state.three_d_secure}.`}>
        <Select empty="As the connection says" choices={authentications} {...choiceOf('authentication')} />
      </Field>
      <Field
        label="New customer"
        optional
        error={faultOf('email')}
        hint="An e-mail address. The card or wallet is saved for it."
      >
        <TextInput type="email" placeholder="" {...textOf('email')} />
      </Field>
    </div>
  );
}
