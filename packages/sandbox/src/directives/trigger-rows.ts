import { virtualBuyers } from '../buyer/virtual-buyer.ts';
import type { SimulatedProcessor } from '../lib/dependencies.ts';
import {
  type Challenge,
  type FrictionlessResult,
  luhnInvalidNumber,
  type TestCard,
  testCards,
} from './cards.ts';
import { disputeDirectives } from './dispute-directives.ts';
import { faults } from './faults.ts';
import { refundDirectives } from './refund-directives.ts';
import { saveDirectives } from './save-directives.ts';
import { webhookDirectives } from './webhook-directives.ts';

/** Something that a tester can send, and its outcome. `/docs/testing` lists exactly these. */
export interface Trigger {
  /** Identifies the test case. Several triggers may belong to one case. */
  readonly id: string;
  /** Path of the field in the merchant API, and the exact value to send. */
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: SimulatedProcessor;
  readonly outcome: string;
  readonly failure_code?: string;
}

export type TriggerOutcome = Pick<Trigger, 'id' | 'outcome' | 'failure_code'>;

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

const frictionlessOutcomes: Readonly<Record<FrictionlessResult, TriggerOutcome>> = {
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

const challengeOutcomes: Readonly<Record<Challenge, TriggerOutcome>> = {
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

function plainOutcome(card: TestCard): TriggerOutcome {
  const outcome = `Approved: ${card.brand}${card.kind === undefined ? '' : `, ${card.kind}`}`;
  if (brandCards.has(card.number)) return { id: 'A1', outcome };
  return { id: levelTwoThreeCards.has(card.number) ? 'A2' : 'A3', outcome };
}

function cardOutcome(card: TestCard): TriggerOutcome {
  if (card.frictionless !== undefined) return frictionlessOutcomes[card.frictionless];
  return card.challenge === undefined ? plainOutcome(card) : challengeOutcomes[card.challenge];
}

/** Returns one trigger for every test card. */
export function cardTriggers(processor: Trigger['processor']): Trigger[] {
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

/**
 * Returns the triggers of a directive. It works as the holder name and, for payments without a typed card, as
 * the description.
 */
export function directiveTriggers(
  processor: Trigger['processor'],
  value: string,
  { id, ...rest }: TriggerOutcome,
  fields: readonly string[] = ['payment_method.holder_name', 'description'],
): Trigger[] {
  return fields.map((field) => ({ id, trigger: { field, value }, processor, ...rest }));
}

/** The triggers of refunds. A refund has no holder name, so its note holds the directive. */
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

/**
 * Triggers that every processor handles in the same way: saving, challenges without a browser, faults,
 * notifications and disputes.
 */
export function sharedTriggers(processor: Trigger['processor']): Trigger[] {
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
