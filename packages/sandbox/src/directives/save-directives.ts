import type { SimulatedProcessor } from '../lib/dependencies.ts';

/** What becomes of a card or wallet that a payment is to save, or of later charges of it. */
export type SaveBehaviour =
  /** Saved; every charge that the merchant initiates is declined for lack of funds. */
  | 'declines_merchant'
  /** Saved; the first charge that the merchant initiates meets a revoked agreement. */
  | 'revoked'
  /** Never saved. */
  | 'saves_nothing'
  /** Saved without a token in the answer, which a notification brings later. */
  | 'saves_late'
  /** Saving is refused before anything is charged. */
  | 'refuses_saving';

export interface SaveDirective {
  readonly case: string;
  readonly value: string;
  readonly does: SaveBehaviour;
  readonly outcome: string;
  readonly processors: readonly SimulatedProcessor[];
}

const both = ['processor_a', 'processor_b'] as const;

/** Every name that changes how a payment saves its card or wallet; both simulators and the documentation read this one table. */
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

/** After how long a late token is notified. */
export const lateTokenMs = 5_000;

const byValue = new Map(saveDirectives.map((directive) => [directive.value, directive]));

/** What a directive does to saving, if it is one for this processor. */
export function findSaveDirective(value: string, processor: SimulatedProcessor): SaveDirective | undefined {
  const found = byValue.get(value);
  return found?.processors.includes(processor) === true ? found : undefined;
}
