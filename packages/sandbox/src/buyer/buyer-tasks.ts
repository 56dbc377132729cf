import type { SandboxDependencies } from '../lib/dependencies.ts';
import { isoExponent } from '../lib/money.ts';
import type { BuyerOutcome } from './virtual-buyer.ts';

/** What a buyer is asked on a page of any processor. */
export interface Task {
  readonly kind: 'approval' | 'challenge';
  readonly shop: string | null;
  /** Null where nothing is to be paid now. */
  readonly amount: string | null;
  readonly card: string | null;
  /** `over` is what nobody can answer any more. */
  readonly state: 'open' | 'answered' | 'over';
  /** Whether the buyer has answered, which may leave the task open: a cancelled approval can still be given. */
  readonly answered: boolean;
  /** Where the browser goes after the last answer; null before it, and where there is no way back. */
  readonly returnUrl: string | null;
  answer(outcome: BuyerOutcome): Promise<unknown>;
}

export type TaskDependencies = Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>;

/** An amount in whole units as a page shows it. */
export function displayAmount(value: number, currency: string): string {
  const digits = isoExponent(currency);
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}
