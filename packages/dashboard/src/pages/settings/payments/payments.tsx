import type { FormEvent } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { ConcurrentChanges, useDraft } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { CodeBlock } from '../../../components/values/code-block.tsx';
import { WithSettings } from '../settings-card.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { CardTestingCard } from './card-testing-card.tsx';
import { RefundLimitsCard } from './refund-limits-card.tsx';
import { RoleApprovalsCard } from './role-approvals-card.tsx';

/** The default settings of payments. */
export const PaymentSettingsPage = () => (
  <SettingsPage
    page="payments"
    description="What happens where a payment request does not say it, how much each role may refund or has to have approved, and how many declines checkout pages take."
  >
    <WithSettings>
      {({ store_payment_method_default: saves }) => (
        <>
          <SavingCard saves={saves} />
          <RequestCard />
          <RefundLimitsCard />
          <RoleApprovalsCard />
          <CardTestingCard />
        </>
      )}
    </WithSettings>
  </SettingsPage>
);

const choices = [
  {
    value: 'save',
    label: 'Save cards and wallets of customers',
    hint: 'A payment with a customer saves its card or wallet for later charges. A payment without a customer saves nothing.',
  },
  {
    value: 'ask',
    label: 'Save only when the request says so',
    hint: 'A payment without the field saves nothing, with a customer or without.',
  },
] as const;

function SavingCard({ saves }: { readonly saves: boolean }) {
  const refusal = useRefusal()('updatePaymentSettings');
  const save = useChange('updatePaymentSettings', ['retrieveSettings']);
  const present = saves ? 'save' : 'ask';
  const draft = useDraft<{ readonly choice: string }>({ choice: present });
  const { choice } = draft.typed;
  const unchanged = choice === present ? 'Nothing has been changed.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending || (refusal ?? unchanged) !== undefined) return;
    const body = { store_payment_method_default: choice === 'save' };
    save.mutate({ body }, { onSuccess: () => toast('Default for saving changed') });
  };
  return (
    <Card
      title="Saving cards and wallets"
      description="Holds for new payments of this workspace, in the sandbox and live. What is saved already stays saved."
    >
      <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
        <RadioGroup
          legend="Where a request does not name save_payment_method"
          name="saving"
          cards
          choices={choices}
          value={choice}
          onChange={(next) => draft.set({ choice: next })}
        />
        <ConcurrentChanges
          draft={draft}
          labelOf={() => choices.find(({ value }) => value === present)?.label ?? present}
        />
        <ErrorNote error={save.error} />
        <div>
          <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
            Save default
          </Button>
        </div>
      </form>
    </Card>
  );
}

const request = (saves: boolean) => `POST /api/v1/payments

{
  "amount": 4990,
  "currency": "EUR",
  "customer": "cus_…",
  "save_payment_method": ${saves},
  "payment_method": { "type": "card", … }
}`;

const RequestCard = () => (
  <Card
    title="In the API"
    description="Each request can decide for itself. Say there what the buyer agreed to: saving needs their consent."
  >
    <div className="flex max-w-2xl flex-col gap-3">
      <CodeBlock
        label="Payment request"
        variants={[
          { label: 'Save', code: request(true) },
          { label: 'Do not save', code: request(false) },
        ]}
      />
      <p className="text-sm text-text-2">
        The id of the saved method comes back as <code className="font-mono">payment_method_id</code>. Charge
        it later with <code className="font-mono">stored_payment_method</code>, and with{' '}
        <code className="font-mono">merchant_initiated: true</code> while the buyer is away.
      </p>
    </div>
  </Card>
);
