import { walletType } from '@till/contract/processors';
import { CreditCard, Wallet } from 'lucide-react';
import { Icon } from '../buttons/icon.tsx';
import { None } from './key-value.tsx';

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'Amex',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  maestro: 'Maestro',
  unionpay: 'UnionPay',
};

/** Card brands with their names, for filters. */
export const brandNames: readonly (readonly [brand: string, name: string])[] = Object.entries(brands);

/** The name of a card brand; an unknown brand is returned unchanged. */
export const brandName = (brand: string): string => brands[brand] ?? brand;

/** The label of a payment method type. */
export const methodName = (type: string): string =>
  type === walletType ? 'Wallet' : type === 'card_fields' ? 'Card on the hosted page' : 'Card';

/** The payment method of a payment: the brand and the last four digits of a card, or the wallet. */
export function PaidWith({
  type,
  brand,
  last4,
}: {
  readonly type: string;
  readonly brand: string | null;
  readonly last4: string | null;
}) {
  if (type === walletType) {
    return (
      <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
        <Icon of={Wallet} className="size-4 text-text-3" />
        Wallet
      </span>
    );
  }
  if (last4 === null) return <None />;
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap tabular-nums">
      <Icon of={CreditCard} className="size-4 text-text-3" />
      <span>
        {brand === null ? 'Card' : brandName(brand)} <span aria-hidden="true">••</span>
        <span className="sr-only">ending in </span>
        {last4}
      </span>
    </span>
  );
}
