import type { SimulatedProcessor } from '../lib/dependencies.ts';

/** How a payment saves its card or wallet, or how later charges of it end. */
export type SaveBehaviour =
  /** Saved, but every merchant-initiated charge is declined for insufficient funds. */
  | 'declines_merchant'
  /** Saved, but the agreement turns out to be revoked at the first merchant-initiated charge. */
  | 'revoked'
  /** The method is never saved. */
  | 'saves_nothing'
  /** Saved, but the token is missing in the response and arrives later in a notification. */
  | 'saves_late'
  /** The processor refuses to save the method before it charges anything. */
  | 'refuses_saving';

export interface SaveDirective {
  readonly case: string;
  readonly value: string;
  readonly does: SaveBehaviour;
  readonly outcome: string;
  readonly processors: readonly SimulatedProcessor[];
}

const both = ['processor_a', 'processor_b'] as const;

/**
 * All directives that change how a payment saves its card or wallet. Both simulators and the documentation
 * read this table.
 */
export const saveDirectives: readonly SaveDirective[] = [
  {
    case: 'D13',
    value: 'SIM-MIT-DECLINE',
    does: 'declines_merchant',
    outcome:
      'Charged and saved; every later charge of it that you initiate off-session is declined with insufficient_funds',
    processors: both,
  },
  {
    case: 'D14',
    value: 'SIM-MIT-REVOKED',
    does: 'revoked',
    outcome:
      'Charged and saved; the first charge of it that you initiate off-session is declined with refused, and the saved method becomes inactive',
    processors: both,
  },
  {
    case: 'D15',
    value: 'SIM-SAVE-NONE',
    does: 'saves_nothing',
    outcome: 'Charged, but never saved: payment_method_id stays null',
    processors: both,
  },
  {
    case: 'D16',
    value: 'SIM-SAVE-LATE',
    does: 'saves_late',
    outcome:
      'Charged with payment_method_id null; a notification of the processor brings the saved method 5 seconds later',
    processors: both,
  },
  {
    case: 'D17',
    value: 'SIM-SAVE-REFUSED',
    does: 'refuses_saving',
    outcome: 'Where the payment is to save its method: saving is refused and nothing is charged',
    processors: ['processor_b'],
  },
];

/** How long after the charge a late token is notified. */
export const lateTokenMs = 5_000;

const byValue = new Map(saveDirectives.map((directive) => [directive.value, directive]));

/** Returns what a directive does to saving, or undefined if it is none for this processor. */
export function findSaveDirective(value: string, processor: SimulatedProcessor): SaveDirective | undefined {
  const found = byValue.get(value);
  return found?.processors.includes(processor) === true ? found : undefined;
}
