import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { cx } from '../../lib/class-names.ts';

/** An amount in minor units with its currency, in the reader's notation and isolated from the text around it. */
export function Money({
  amount,
  currency,
  code = false,
  className,
}: {
  readonly amount: number;
  readonly currency: string;
  /** Shows the code of the currency too, where the amount has only its sign. */
  readonly code?: boolean;
  readonly className?: string;
}) {
  const text = formatMoney(amount, currency, language());
  return (
    <bdi className={cx('tabular-nums', className)}>
      <span className="whitespace-nowrap">{text}</span>
      {code && !text.includes(currency) && (
        <>
          {' '}
          <span className="font-normal text-text-3">{currency}</span>
        </>
      )}
    </bdi>
  );
}
