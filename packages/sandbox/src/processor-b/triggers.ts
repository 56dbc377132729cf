import { reversalDirective } from '../directives/capture-directives.ts';
import { cardTriggers, directiveTriggers, sharedTriggers, type Trigger } from '../directives/trigger-rows.ts';
import { declineDirectives } from './model/declines.ts';
import { flowDirectives } from './orders/directives.ts';
import { avsTriggers, cvvTriggers } from './orders/payment-source.ts';

const declineTriggers = declineDirectives.flatMap((row) =>
  row.values.flatMap((value) =>
    directiveTriggers('processor_b', value, {
      id: row.case,
      outcome: row.outcome,
      failure_code: row.failureCode,
    }),
  ),
);

/**
 * Triggers of approvals and holds. A wallet and card fields have no holder name when the payment is created,
 * so only the description works.
 */
const flowTriggers = [...flowDirectives, reversalDirective].flatMap((row) =>
  directiveTriggers(
    'processor_b',
    row.value,
    { id: row.case, outcome: row.outcome },
    row.case.startsWith('W') ? ['description'] : undefined,
  ),
);

const avsMeanings: Readonly<Record<string, string>> = {
  Y: 'address and postal code match',
  N: 'neither address nor postal code matches',
  A: 'only the address matches',
  Z: 'only the postal code matches',
  U: 'address not checked',
};

const cvvMeanings: Readonly<Record<string, string>> = {
  M: 'the security code matches',
  N: 'the security code does not match',
};

const checkTriggers: readonly Trigger[] = [
  ...Object.entries(avsTriggers).map(([value, letter]) => ({
    id: 'V1',
    trigger: { field: 'billing_address.line1', value },
    processor: 'processor_b' as const,
    outcome: `Approved, with AVS code ${letter}${avsMeanings[letter] === undefined ? '' : `: ${avsMeanings[letter]}`}`,
  })),
  ...Object.entries(cvvTriggers).map(([value, letter]) => ({
    id: 'V2',
    trigger: { field: 'payment_method.cvc', value },
    processor: 'processor_b' as const,
    outcome: `Approved, with CVV code ${letter}: ${cvvMeanings[letter] ?? 'the security code is not checked'}`,
  })),
];

/** Every test card and trigger of this processor. */
export const triggers: readonly Trigger[] = [
  ...cardTriggers('processor_b'),
  ...declineTriggers,
  ...flowTriggers,
  ...checkTriggers,
  ...sharedTriggers('processor_b'),
];
