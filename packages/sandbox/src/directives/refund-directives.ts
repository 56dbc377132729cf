import type { SimulatedProcessor } from '../lib/dependencies.ts';
import type { Breakdown } from './faults.ts';

/** How a refund ends. Refunds that `completes_at_once` succeed, like those without a directive. */
export type RefundBehaviour =
  | 'refused'
  | 'fails_later'
  | 'reversed'
  | 'stays_pending'
  | 'completes_at_once'
  /** A fault of the connection, as in `breakdown`. The next request with the same key succeeds. */
  | 'breaks_down';

export interface RefundDirective {
  readonly case: string;
  readonly value: string;
  readonly does: RefundBehaviour;
  readonly breakdown?: Breakdown;
  readonly outcome: string;
  readonly processors: readonly SimulatedProcessor[];
}

const both = ['processor_a', 'processor_b'] as const;

function brokenDown(value: string, shows: Breakdown['shows'], outcome: string): RefundDirective {
  const described = { case: 'R6', value, outcome };
  const breakdown = { ...described, strikes: 'lost', shows } as const;
  return { ...described, does: 'breaks_down', breakdown, processors: both };
}

/**
 * All values of a refund's note that change how the refund ends. Both simulators and the documentation read
 * this table.
 */
export const refundDirectives: readonly RefundDirective[] = [
  {
    case: 'R2',
    value: 'SIM-REFUND-FAIL-SYNC',
    does: 'refused',
    outcome: 'The processor refuses the refund at once: failed with refund_not_allowed when it is created',
    processors: both,
  },
  {
    case: 'R3',
    value: 'SIM-REFUND-FAIL-ASYNC',
    does: 'fails_later',
    outcome: 'Pending, then failed about one second later',
    processors: both,
  },
  {
    case: 'R4',
    value: 'SIM-REFUND-REVERSED',
    does: 'reversed',
    outcome: 'Pending, then succeeded, then failed 10 seconds later: the money came back',
    processors: both,
  },
  {
    case: 'R5',
    value: 'SIM-REFUND-PENDING',
    does: 'stays_pending',
    outcome: 'Stays pending until you settle it in the dashboard or by the test helper',
    processors: both,
  },
  brokenDown(
    'SIM-REFUND-502',
    500,
    'The processor answers HTTP 500 and gives nothing back: 502 provider_error. The same Idempotency-Key again succeeds',
  ),
  brokenDown(
    'SIM-REFUND-TIMEOUT',
    'silence',
    'Time-out: the processor never answers and gives nothing back: 503 provider_unavailable. The same Idempotency-Key again succeeds',
  ),
  {
    case: 'R7',
    value: 'SIM-REFUND-INSTANT',
    does: 'completes_at_once',
    outcome: 'The processor completes the refund in its answer: pending, then succeeded',
    processors: ['processor_b'],
  },
];

/** How long after its creation a refund settles, and how long after that a reversed one is taken back. */
export const refundSettlesMs = 1_000;
export const refundReversesMs = 10_000;

const byValue = new Map(refundDirectives.map((directive) => [directive.value, directive]));

/** Returns the directive in a refund's note, or undefined if the note is none for this processor. */
export function findRefundDirective(
  value: string,
  processor: SimulatedProcessor,
): RefundDirective | undefined {
  const found = byValue.get(value);
  return found?.processors.includes(processor) === true ? found : undefined;
}
