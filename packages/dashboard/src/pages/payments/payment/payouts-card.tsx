import { Card } from '../../../components/layout/card.tsx';
import { Money } from '../../../components/values/money.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import type { Detail } from './detail.ts';

/** The payouts that contain the payment, its refunds or its disputes. Renders nothing before the first payout. */
export function PayoutsCard({ detail: { payouts } }: { readonly detail: Detail }) {
  const paths = usePaths();
  if (payouts.length === 0) return null;
  return (
    <Card title="Payouts">
      <ul className="flex flex-col gap-1.5">
        {payouts.map(({ id, arrival_date: date, currency, net }) => (
          <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-3">
            <Link to={paths.payout(id)}>Payout of {date}</Link>
            <span className="tabular-nums">
              <Money amount={net} currency={currency} />
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm text-text-2">What is left of it there, after fees.</p>
    </Card>
  );
}
