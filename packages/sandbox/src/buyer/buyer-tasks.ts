import type { SandboxDependencies } from '../lib/dependencies.ts';
import { isoExponent } from '../lib/money.ts';
import type { BuyerOutcome } from './virtual-buyer.ts';

/** What a page of any simulated processor asks a buyer. */
export interface Task {
  readonly kind: 'approval' | 'challenge';
  readonly shop: string | null;
  /** Null if nothing has to be paid now. */
  readonly amount: string | null;
  readonly card: string | null;
  /** `over`: the task has ended and can no longer be answered. */
  readonly state: 'open' | 'answered' | 'over';
  /** Whether the buyer has answered. The task may still be open: a buyer who cancelled can still approve. */
  readonly answered: boolean;
  /** Where the browser goes after the last answer. Null before that answer, and if there is no way back. */
  readonly returnUrl: string | null;
  answer(outcome: BuyerOutcome): Promise<unknown>;
}

export type TaskDependencies = Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>;

/** Formats an amount, given in the currency's main unit, for a page. */
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
