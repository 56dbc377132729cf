import { Money } from '../../components/values/money.tsx';
import { PaymentStatus } from '../../components/values/payment-status.tsx';
import { ExternalLink, Link, usePaths } from '../../navigation/navigation.tsx';
import type { MadePayment } from './use-payment-form.ts';

/** The created payment with its next steps. */
export function PaymentResult({ payment }: { readonly payment: MadePayment }) {
  const paths = usePaths();
  const page = payment.next_action?.checkout_url;
  return (
    <section
      aria-label="The payment made"
      className="mt-4 rounded-md border border-line bg-sunken px-3 py-2.5"
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PaymentStatus status={payment.status} failure={payment.failure} />
        <Money amount={payment.amount} currency={payment.currency} code className="font-medium" />
        <Link to={paths.payment(payment.id)}>
          <code className="font-mono text-sm break-all">{payment.id}</code>
        </Link>
      </p>
      {payment.failure !== null && (
        <p className="mt-1.5 text-sm text-text-2">
          <code className="font-mono">{payment.failure.code}</code>: {payment.failure.message}
        </p>
      )}
      {payment.payment_method_id !== null && (
        <p className="mt-1.5 text-sm text-text-2">
          Saved as <code className="font-mono break-all">{payment.payment_method_id}</code>
        </p>
      )}
      {payment.status === 'requires_action' && (
        <p className="mt-1.5 text-sm text-text-2">
          It waits for its buyer.{' '}
          {page !== undefined && (
            <>
              <ExternalLink href={page}>Open the buyer's page</ExternalLink>, or play the buyer below.
            </>
          )}
          {page === undefined && 'Play the buyer below.'}
        </p>
      )}
    </section>
  );
}
