import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { cx } from '../../lib/class-names.ts';

/** An amount stays on one line and is broken only if it is wider than the element around it, as with enlarged text. */
const oneLine = 'inline-block max-w-full wrap-break-word';

/**
 * An amount in minor units with its currency, formatted for the reader's locale and isolated from the direction of the
 * text around it.
 */
export function Money({
  amount,
  currency,
  code = false,
  className,
}: {
  readonly amount: number;
  readonly currency: string;
  /** Also shows the currency code if the formatted amount has only a currency sign. */
  readonly code?: boolean;
  readonly className?: string;
}) {
  const text = formatMoney(amount, currency, language());
  return (
    <bdi className={cx('max-w-full tabular-nums', className)}>
      <span className={oneLine}>{text}</span>
      {code && !text.includes(currency) && (
        <>
          {' '}
          <span className="font-normal text-text-3">{currency}</span>
        </>
      )}
    </bdi>
  );
}
