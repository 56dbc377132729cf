import { type FormEvent, useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Checkbox, RadioGroup } from '../../components/forms/choices.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import {
  type IdempotentRequest,
  useIdempotentRequest,
} from '../../components/overlays/requests/idempotent-request.ts';
import { useGo, usePaths } from '../../navigation/navigation.tsx';
import { WaitsForApproval } from '../approvals/waits-for-approval.tsx';
import { emptyLink, type LinkFaults, type LinkForm, linkBody, linkFaults } from './link-form.ts';
import { DescriptionField, LastDayField, TitleField, UsageFields } from './shared-fields.tsx';

/** Creates a payment link. @param currency the proposed currency */
export function CreateLink({
  open,
  onClose,
  currency,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly currency: string;
}) {
  const paths = usePaths();
  const go = useGo();
  const refreshed = ['listPaymentLinks', 'listApprovals'] as const;
  const making = useIdempotentRequest('createPaymentLink', refreshed, open, {
    onAnswer(link, mayClose) {
      if (link.object === 'approval') {
        if (!mayClose) toast('The payment link waits for approval');
        return !mayClose;
      }
      toast('The payment link is ready');
      if (mayClose) {
        onClose();
        go(paths.paymentLink(link.id));
      }
      return true;
    },
  });
  const [sent, setSent] = useState<LinkForm>();
  const send = (form: LinkForm) => {
    setSent(form);
    making.send({ body: linkBody(form) });
  };
  const close = () => {
    making.forget();
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title="Create a payment link" size="md">
      <CreateForm
        initial={(making.busy ? sent : undefined) ?? emptyLink(currency)}
        making={making}
        onSend={send}
        onClose={close}
      />
    </Dialog>
  );
}

interface Part {
  readonly form: LinkForm;
  readonly set: (change: Partial<LinkForm>) => void;
  readonly faults: LinkFaults;
}

function CreateForm({
  initial,
  making: { answer, busy, error, noteEdit },
  onSend,
  onClose,
}: {
  /** The initial values; in a dialog that is opened again, those of the request in flight. */
  readonly initial: LinkForm;
  readonly making: IdempotentRequest<'createPaymentLink'>;
  readonly onSend: (form: LinkForm) => void;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(initial);
  const [tried, setTried] = useState(false);
  const faults = tried ? linkFaults(form) : {};
  const set = (change: Partial<LinkForm>) => setForm({ ...form, ...change });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(linkFaults(form)).length === 0) onSend(form);
  };
  const part: Part = { form, set, faults };
  if (answer?.object === 'approval') return <WaitsForApproval approval={answer} onClose={onClose} />;
  return (
    <form onSubmit={submit} onChange={noteEdit} noValidate className="flex flex-col gap-4">
      <TitleField {...part} />
      <PriceFields {...part} />
      <UsageFields {...part} />
      <LastDayField {...part} error={error} />
      <MoreFields {...part} error={error} />
      <ErrorNote error={error} fields={['expires_at', 'success_url', 'failure_url']} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          Create link
        </Button>
      </DialogActions>
    </form>
  );
}

const pricings = [
  { value: 'fixed', label: 'A fixed amount' },
  {
    value: 'open',
    label: 'The buyer chooses',
    hint: 'Within bounds: for donations, deposits, open invoices.',
  },
];

function PriceFields({ form, set, faults }: Part) {
  const amountField = (name: 'amount' | 'min' | 'max' | 'suggested', label: string) => (
    <Field
      label={label}
      error={faults[name]}
      {...(name === 'suggested' ? { optional: true } : { required: true })}
    >
      <TextInput
        name={`link-${name}`}
        inputMode="decimal"
        autoComplete="off"
        value={form[name]}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </Field>
  );
  return (
    <>
      <RadioGroup
        legend="Price"
        name="link-pricing"
        choices={pricings}
        value={form.pricing}
        onChange={(pricing) => set({ pricing })}
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field label="Currency" error={faults.currency} required>
          <TextInput
            name="link-currency"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={3}
            className="uppercase"
            value={form.currency}
            onChange={({ target }) => set({ currency: target.value.toUpperCase() })}
          />
        </Field>
        {form.pricing === 'fixed' ? (
          amountField('amount', 'Amount')
        ) : (
          <>
            {amountField('min', 'Least')}
            {amountField('max', 'Most')}
            {amountField('suggested', 'Suggested')}
          </>
        )}
      </div>
    </>
  );
}

function MoreFields({ form, set, error }: Part & { readonly error: Error | null }) {
  const address = (name: 'successUrl' | 'failureUrl', label: string, field: string) => (
    <Field label={label} error={fieldError(error, field)} optional>
      <TextInput
        name={`link-${name}`}
        type="url"
        autoComplete="off"
        placeholder="https://"
        value={form[name]}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </Field>
  );
  return (
    <>
      <DescriptionField form={form} set={set} />
      <Field
        label="Ask the buyer for"
        hint="Such as “Invoice number”. It becomes the reference of the payment."
        optional
      >
        <TextInput
          name="link-reference"
          autoComplete="off"
          maxLength={60}
          value={form.reference}
          onChange={({ target }) => set({ reference: target.value })}
        />
      </Field>
      <Checkbox
        label="Keep the card or wallet for later charges"
        hint="The page asks for an e-mail address and says that you may keep it."
        checked={form.saves}
        onChange={({ target }) => set({ saves: target.checked })}
      />
      {address('successUrl', 'Where the buyer goes after paying', 'success_url')}
      {address('failureUrl', 'Where the buyer goes otherwise', 'failure_url')}
    </>
  );
}
