import type { ProcessorTraits } from '@till/contract/dashboard';
import { useState } from 'react';
import { type Body, useChange } from '../../../api/calls.ts';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { useRefusal, useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { announce } from '../../../components/feedback/announcer.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { ExternalLink } from '../../../navigation/navigation.tsx';

type PaymentInput = Body<'simulatePayment'>;

const sample = { amount: 4990, currency: 'EUR' };
/** Sample payments that wait for the buyer on the checkout page: one for a card, one for 3-D Secure. */
const waitsForCard: PaymentInput = { ...sample, method: 'card_fields' };
const waitsForBank: PaymentInput = {
  ...sample,
  authentication: 'always',
  trigger: { field: 'payment_method.number', value: '4212345678910006' },
};

/** Opens the real checkout page with the saved branding, for a sample payment. */
export function SamplePageCard() {
  const workspace = useWorkspace();
  if (workspace === undefined) return null;
  return (
    <Card title="The page itself">
      {workspace.livemode ? (
        <p className="text-text-2">
          In a sandbox workspace a test payment can be made here, to look at its page. Live pages are only for
          buyers.
        </p>
      ) : (
        <SamplePage processor={workspace.processor_traits} />
      )}
    </Card>
  );
}

function SamplePage({ processor }: { readonly processor: ProcessorTraits }) {
  const hasFields = processor.browser_methods.includes('card_fields');
  const refusal = useRefusal()('simulatePayment');
  const make = useChange('simulatePayment');
  const [key, setKey] = useState(newIdempotencyKey);
  const page = make.data?.next_action?.checkout_url;
  const send = () =>
    make.mutate(
      { body: hasFields ? waitsForCard : waitsForBank, idempotencyKey: key },
      {
        onSuccess: () => announce('The test page is ready'),
        onSettled: () => setKey(newIdempotencyKey()),
      },
    );
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-text-2">
        Makes a test payment of 49.90 EUR, whose page shows what is saved.
        {!hasFields &&
          ` On ${processor.name} buyers come to the page when their bank asks them, so that is what it shows.`}
      </p>
      <Button busy={make.isPending} unavailable={refusal} onClick={send}>
        Make a test page
      </Button>
      {page !== undefined && (
        <p>
          <ExternalLink href={page}>Open the test page</ExternalLink>{' '}
          <span className="text-text-2">It works for 15 minutes.</span>
        </p>
      )}
      <ErrorNote error={make.error} />
    </div>
  );
}
