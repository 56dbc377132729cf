import { formatAmount } from '../../lib/money.ts';
import type { ProcessorPort } from './port.ts';

/**
 * Explains why a processor cannot take an amount; null if it can. For some currencies a processor accepts fewer decimals than
 * ISO 4217 defines.
 * @param amount minor units
 */
export function unsupportedAmountReason(
  port: Pick<ProcessorPort, 'supportsAmount'>,
  amount: number,
  currency: string,
): string | null {
  if (port.supportsAmount(amount, currency)) return null;
  const min = [10, 100, 1000].find((units) => port.supportsAmount(units, currency));
  if (min === undefined) return `amount cannot be in ${currency}: the processor does not take it.`;
  const smallest = formatAmount(min, currency);
  return `amount must be a multiple of ${min} in ${currency}, since the processor takes nothing smaller than ${smallest} ${currency}; ${amount} was sent.`;
}
