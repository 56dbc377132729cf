import { CreditCard } from 'lucide-react';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { CodeBlock, type CodeVariant } from '../../components/values/code-block.tsx';

/** Code that creates a first test payment with a sandbox key. @param origin origin of the server */
const firstPayment = (origin: string): readonly CodeVariant[] => [
  {
    label: 'curl',
    code: `curl ${origin}/api/v1/payments \\
  -H "Authorization: Bearer $TILL_API_KEY" \\
  -H "Idempotency-Key: first-payment" \\
  -H "Content-Type: application/json" \\
  -d '{
    "amount": 4990,
    "currency": "EUR",
    "reference": "order-1",
    "payment_method": {
      "type": "card", "number": "4111111111111111",
      "exp_month": 3, "exp_year": 2030, "cvc": "737",
      "holder_name": "Jane Smith"
    },
    "success_url": "https://shop.example/thanks",
    "failure_url": "https://shop.example/failed"
  }'`,
  },
];

/** The empty state of the list, which explains how to make the first payment. */
export function NoPayments() {
  return (
    <EmptyState icon={CreditCard} title="No payments yet">
      <p>A payment appears here as soon as the API or the hosted checkout makes one. Make the first one:</p>
      <div className="mt-3 text-left">
        <CodeBlock label="First payment" variants={firstPayment(location.origin)} />
      </div>
    </EmptyState>
  );
}
