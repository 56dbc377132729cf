import { faults } from './processor-a/faults.ts';
import { refusalDirectives } from './processor-a/refusals.ts';
import { type FrictionlessResult, luhnInvalidNumber, type TestCard, testCards } from './test-cards.ts';

/** One thing a tester can send and what then happens; `/docs/testing` lists exactly these. */
export interface Trigger {
  /** Names the case. Several triggers may stand for one case. */
  readonly id: string;
  /** Path in the merchant API, and the exact value to put there. */
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: 'processor_a' | 'processor_b';
  readonly outcome: string;
  readonly failure_code?: string;
}

type Outcome = Pick<Trigger, 'id' | 'outcome' | 'failure_code'>;

const brandCards: ReadonlySet<string> = new Set([
  '4111111111111111',
  '5555555555554444',
  '370000000000002',
  '6011601160116611',
  '36006666333344',
  '3569990010095841',
  '6771798021000008',
]);

const levelTwoThreeCards: ReadonlySet<string> = new Set(['4400000000000008', '4000620000000007']);

const frictionlessOutcomes: Readonly<Record<FrictionlessResult, Outcome>> = {
  authenticated: {
    id: 'T1',
    outcome: '3-D Secure without a challenge: authenticated, liability shifted, approved',
  },
  failed: {
    id: 'T4',
    outcome: '3-D Secure without a challenge: not authenticated',
    failure_code: '3ds_failed',
  },
  rejected: {
    id: 'T5',
    outcome: '3-D Secure: the issuer rejects the authentication',
    failure_code: '3ds_failed',
  },
  attempted: { id: 'T6', outcome: '3-D Secure: attempt recorded, liability shifted, approved' },
  unavailable: {
    id: 'T7',
    outcome: '3-D Secure: the issuer cannot authenticate',
    failure_code: '3ds_not_available',
  },
  not_enrolled: {
    id: 'T8',
    outcome:
      '3-D Secure not available for the card: approved without liability shift, or declined with 3ds_not_available where 3-D Secure is set to always',
  },
};

function plainOutcome(card: TestCard): Outcome {
  const outcome = `Approved: ${card.brand}${card.kind === undefined ? '' : `, ${card.kind}`}`;
  if (brandCards.has(card.number)) return { id: 'A1', outcome };
  return { id: levelTwoThreeCards.has(card.number) ? 'A2' : 'A3', outcome };
}

function cardTriggers(processor: Trigger['processor']): Trigger[] {
  const published = testCards.map((card) => {
    const { id, ...rest } =
      card.frictionless === undefined ? plainOutcome(card) : frictionlessOutcomes[card.frictionless];
    return { id, trigger: { field: 'payment_method.number', value: card.number }, processor, ...rest };
  });
  const misspelt: Trigger = {
    id: 'D6',
    trigger: { field: 'payment_method.number', value: luhnInvalidNumber },
    processor,
    outcome: 'Declined: the number fails the Luhn check, like every mistyped number',
    failure_code: 'invalid_card',
  };
  return [...published, misspelt];
}

/** A directive works as the holder's name and, for payments without a typed card, as the description. */
function directiveTriggers(
  processor: Trigger['processor'],
  value: string,
  { id, ...rest }: Outcome,
): Trigger[] {
  return ['payment_method.holder_name', 'description'].map((field) => ({
    id,
    trigger: { field, value },
    processor,
    ...rest,
  }));
}

const refusalTriggers = refusalDirectives.flatMap((row) =>
  row.values.flatMap((value) =>
    directiveTriggers('processor_a', value, {
      id: row.case,
      outcome: row.outcome,
      ...(row.failureCode === undefined ? {} : { failure_code: row.failureCode }),
    }),
  ),
);

const faultTriggers = faults.flatMap((fault) =>
  directiveTriggers('processor_a', fault.value, { id: fault.case, outcome: fault.outcome }),
);

/** The one table of test cards and triggers: made of the very rows that the simulators act on. */
export const triggers: readonly Trigger[] = [
  ...cardTriggers('processor_a'),
  ...refusalTriggers,
  ...faultTriggers,
];
