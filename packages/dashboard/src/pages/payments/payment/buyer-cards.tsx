import { walletType } from '@till/contract/processors';
import { Card } from '../../../components/layout/card.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { None, SideFacts } from '../../../components/values/key-value.tsx';
import { methodName, PaidWith } from '../../../components/values/paid-with.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import type { Detail } from './detail.ts';

/** The customer, with the data that the merchant sent. */
export function BuyerCard({ detail: { customer } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (customer === null) {
    return (
      <Card title="Customer">
        <p className="text-text-2">No customer is attached to this payment.</p>
      </Card>
    );
  }
  return (
    <Card title="Customer">
      <p className="font-medium [overflow-wrap:anywhere]">
        <Link to={paths.customer(customer.id)}>{customer.name ?? customer.email}</Link>
      </p>
      <p className="text-text-2 [overflow-wrap:anywhere]">{customer.email}</p>
      {customer.external_id !== null && (
        <p className="mt-1 text-sm text-text-3 [overflow-wrap:anywhere]">Your id: {customer.external_id}</p>
      )}
    </Card>
  );
}

const two = (value: number) => String(value).padStart(2, '0');

/** The expiry date of a card, as month and year. */
export const expiryText = (
  month: number | null | undefined,
  year: number | null | undefined,
): string | undefined => (month == null || year == null ? undefined : `${two(month)}/${year}`);

const models: Readonly<Record<string, string>> = {
  card_on_file: 'Card on file',
  subscription: 'Subscription',
  unscheduled_card_on_file: 'Unscheduled, by you',
};

/** The label of a saved method's recurring processing model. */
export const modelName = (model: string): string => models[model] ?? model;

/** The payment method, and whether it is saved. */
export function MethodCard({
  detail: { payment, saved_method: saved, processing },
}: {
  readonly detail: Detail;
}) {
  const { payment_method: method } = payment;
  return (
    <Card title="Payment method">
      <SideFacts
        pairs={[
          {
            key: 'Paid with',
            value: method.last4 === null && method.type !== walletType ? <None /> : <PaidWith {...method} />,
          },
          { key: 'Kind', value: methodName(method.type) },
          ...(method.type === walletType
            ? []
            : [{ key: 'Expires', value: expiryText(method.exp_month, method.exp_year) }]),
          { key: 'Saved', value: <Saved id={payment.payment_method_id} saved={saved} /> },
          ...(processing.merchant_initiated ? [{ key: 'Buyer present', value: 'No: charged by you' }] : []),
        ]}
      />
    </Card>
  );
}

function Saved({ id, saved }: { readonly id: string | null; readonly saved: Detail['saved_method'] }) {
  if (id === null) return 'Not saved';
  if (saved === null) return 'Saved, and removed since';
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {modelName(saved.recurring_processing_model)}
      <Badge tone={saved.status === 'active' ? 'good' : 'warn'}>
        {saved.status === 'active' ? 'Can be charged' : 'Expired'}
      </Badge>
    </span>
  );
}
