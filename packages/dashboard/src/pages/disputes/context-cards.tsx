import type { ReactNode } from 'react';
import { Card } from '../../components/layout/card.tsx';
import { CopyId } from '../../components/values/copy-button.tsx';
import { SideFacts } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { PaidWith } from '../../components/values/paid-with.tsx';
import { Status } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { liabilityText } from '../../lib/wording/liability.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import type { Detail } from './answer/detail.ts';

/** The disputed payment. */
export function PaymentCard({ detail }: { readonly detail: Detail }) {
  const paths = usePaths();
  const { payment, dispute, refunded_amount: refunded } = detail;
  const { amount, currency, payment_method: method } = payment;
  const { word, meaning } = liabilityText(payment.three_d_secure?.liability_shift);
  const money = (value: number): ReactNode => <Money amount={value} currency={currency} />;
  return (
    <Card title="Payment" actions={<Link to={paths.payment(payment.id)}>Open</Link>}>
      <SideFacts
        pairs={[
          {
            key: 'Amount',
            value: (
              <>
                {money(amount)} <Status kind="payment" status={payment.status} />
              </>
            ),
          },
          { key: 'Disputed', value: dispute.amount < amount ? money(dispute.amount) : 'All of it' },
          ...(refunded === 0 ? [] : [{ key: 'Refunded already, or pending', value: money(refunded) }]),
          { key: 'Paid', value: <Time at={payment.created} show="named" /> },
          {
            key: 'Paid with',
            value: <PaidWith type={method.type} brand={method.brand} last4={method.last4} />,
          },
          { key: 'Reference', value: payment.reference },
          { key: 'On the statement', value: payment.shopper_statement },
          {
            key: '3-D Secure',
            value: (
              <>
                {word}. <span className="text-text-2">{meaning}</span>
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}

/** The buyer, if the merchant has sent their data. */
export function BuyerCard({ detail: { customer } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (customer === null) return null;
  return (
    <Card title="Customer" actions={<Link to={paths.customer(customer.id)}>Open</Link>}>
      <SideFacts
        pairs={[
          { key: 'Name', value: customer.name },
          { key: 'E-mail', value: customer.email },
        ]}
      />
    </Card>
  );
}

/** References for correspondence with the processor. */
export function FactsCard({ detail: { dispute } }: { readonly detail: Detail }) {
  return (
    <Card title="Details">
      <SideFacts
        pairs={[
          { key: 'Raised', value: <Time at={dispute.raised_at} show="named" /> },
          { key: 'Reference number of the acquirer (ARN)', value: dispute.arn },
          { key: 'Payment id', value: <CopyId id={dispute.payment} what="payment id" /> },
          { key: 'Dispute id', value: <CopyId id={dispute.id} what="dispute id" /> },
        ]}
      />
    </Card>
  );
}
