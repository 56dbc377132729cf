import type { Answer } from '../../api/calls.ts';
import { Money } from '../../components/values/money.tsx';
import { countOf, countText } from '../../lib/wording/plural.ts';

export type LinkItem = Answer<'retrievePaymentLink'>;
type PaymentLink = LinkItem['link'];

/** The price of a link: an amount, or the range that it allows. */
export function Price({ link }: { readonly link: PaymentLink }) {
  const { amount, amount_range: range, currency } = link;
  if (amount !== null) return <Money amount={amount} currency={currency} />;
  if (range === null) return null;
  return (
    <span className="whitespace-nowrap">
      <Money amount={range.min} currency={currency} /> – <Money amount={range.max} currency={currency} />
    </span>
  );
}

/** How often the link was paid, and how often it can be paid. */
export const paidTimes = ({ payments_count: count, max_payments: max }: PaymentLink): string =>
  max === null ? countOf(count, 'payment') : `${countText(count)} of ${countOf(max, 'payment')}`;
