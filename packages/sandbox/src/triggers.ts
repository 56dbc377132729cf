import { captureDirectives } from './capture-directives.ts';
import { disputeDirectives } from './dispute-directives.ts';
import { faults } from './faults.ts';
import { refusalDirectives } from './processor-a/refusals.ts';
import { declineDirectives } from './processor-b/declines.ts';
import { flowDirectives } from './processor-b/directives.ts';
import { avsTriggers, cvvTriggers } from './processor-b/payment-source.ts';
import { refundDirectives } from './refund-directives.ts';
import { saveDirectives } from './save-directives.ts';
import {
  type Challenge,
  type FrictionlessResult,
  luhnInvalidNumber,
  type TestCard,
  testCards,
} from './test-cards.ts';
import { virtualBuyers } from './virtual-buyer.ts';
import { webhookDirectives } from './webhook-directives.ts';

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

const byBuyer =
  'password "password" approves, any other one ends in 3ds_failed, Cancel in 3ds_abandoned; approved where 3-D Secure is off';

const challengeOutcomes: Readonly<Record<Challenge, Outcome>> = {
  buyer: { id: 'T2', outcome: `3-D Secure with a challenge: ${byBuyer}` },
  fingerprint: { id: 'T3', outcome: `3-D Secure with a fingerprint step, then a challenge: ${byBuyer}` },
  fails: {
    id: 'T9',
    outcome: '3-D Secure with a challenge that always fails, whatever the buyer does: 3ds_failed',
  },
  unavailable: {
    id: 'T10',
    outcome: '3-D Secure with a challenge that ends in an error of the issuer: 3ds_not_available',
  },
  never_returns: {
    id: 'T11',
    outcome: '3-D Secure with a challenge that never comes back: 3ds_abandoned when the window is over',
  },
};

function plainOutcome(card: TestCard): Outcome {
  const outcome = `Approved: ${card.brand}${card.kind === undefined ? '' : `, ${card.kind}`}`;
  if (brandCards.has(card.number)) return { id: 'A1', outcome };
  return { id: levelTwoThreeCards.has(card.number) ? 'A2' : 'A3', outcome };
}

function cardOutcome(card: TestCard): Outcome {
  if (card.frictionless !== undefined) return frictionlessOutcomes[card.frictionless];
  return card.challenge === undefined ? plainOutcome(card) : challengeOutcomes[card.challenge];
}

function cardTriggers(processor: Trigger['processor']): Trigger[] {
  const published = testCards.map((card) => {
    const { id, ...rest } = cardOutcome(card);
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
  fields: readonly string[] = ['payment_method.holder_name', 'description'],
): Trigger[] {
  return fields.map((field) => ({ id, trigger: { field, value }, processor, ...rest }));
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

const captureTriggers = captureDirectives.flatMap((row) =>
  directiveTriggers('processor_a', row.value, { id: row.case, outcome: row.outcome }),
);

const declineTriggers = declineDirectives.flatMap((row) =>
  row.values.flatMap((value) =>
    directiveTriggers('processor_b', value, {
      id: row.case,
      outcome: row.outcome,
      failure_code: row.failureCode,
    }),
  ),
);

/** A refund has no holder's name; its note takes the directive. */
function refundTriggers(processor: Trigger['processor']): Trigger[] {
  const plain = {
    case: 'R1',
    value: 'Any other note, or none',
    outcome: 'Pending, then succeeded about one second later',
  };
  const rows = [plain, ...refundDirectives.filter((row) => row.processors.includes(processor))];
  return rows.flatMap((row) =>
    directiveTriggers(processor, row.value, { id: row.case, outcome: row.outcome }, ['note']),
  );
}

/** What works alike on both processors: saving, challenges without a browser, faults, notifications and disputes. */
function sharedTriggers(processor: Trigger['processor']): Trigger[] {
  return [
    ...virtualBuyers.flatMap((buyer) =>
      directiveTriggers(processor, buyer.value, { id: buyer.case, outcome: buyer.outcome }),
    ),
    ...faults.flatMap((fault) =>
      directiveTriggers(processor, fault.value, { id: fault.case, outcome: fault.outcome }),
    ),
    ...[
      ...saveDirectives.filter((row) => row.processors.includes(processor)),
      ...webhookDirectives,
      ...disputeDirectives,
    ].flatMap((row) => directiveTriggers(processor, row.value, { id: row.case, outcome: row.outcome })),
    ...refundTriggers(processor),
  ];
}

/** A wallet and card fields have no holder's name when the payment is created. */
const flowTriggers = flowDirectives.flatMap((row) =>
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

/** The one table of test cards and triggers: made of the very rows that the simulators act on. */
export const triggers: readonly Trigger[] = [
  ...cardTriggers('processor_a'),
  ...refusalTriggers,
  ...captureTriggers,
  ...sharedTriggers('processor_a'),
  ...cardTriggers('processor_b'),
  ...declineTriggers,
  ...flowTriggers,
  ...checkTriggers,
  ...sharedTriggers('processor_b'),
];
