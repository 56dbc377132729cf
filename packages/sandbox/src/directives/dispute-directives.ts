/** The stage of a dispute, in terms that both simulators share. */
export type DisputeStage =
  | 'information_request'
  | 'chargeback'
  | 'pre_arbitration'
  | 'scheme_arbitration'
  | 'second_chargeback';

export type DisputeStatus =
  | 'new'
  | 'action_required'
  | 'challenged'
  | 'recovered'
  | 'accepted'
  | 'lost'
  | 'won';

export interface DisputePosition {
  readonly state: DisputeStage;
  readonly status: DisputeStatus;
}

export interface DisputeDirective {
  readonly case: string;
  readonly value: string;
  readonly opens: DisputeStage;
  /** The part of the payment that the buyer disputes. */
  readonly share: 'all' | 'half';
  /** The positions that follow one after the other once the merchant has defended the dispute. */
  readonly next: readonly DisputePosition[];
  /** Whether the dispute moves on to `next` even if the merchant does nothing. */
  readonly goesOnAlone: boolean;
  readonly outcome: string;
}

const chargebackWon = { state: 'chargeback', status: 'won' } as const;
const chargebackLost = { state: 'chargeback', status: 'lost' } as const;

/** The outcome of a defended dispute that was not opened by a directive. */
export const defaultDefence: readonly DisputePosition[] = [chargebackWon];

/**
 * All directives that make the buyer dispute a payment. Both simulators and the documentation read this
 * table.
 */
export const disputeDirectives: readonly DisputeDirective[] = [
  {
    case: 'G1',
    value: 'SIM-DISPUTE-RFI',
    opens: 'information_request',
    share: 'all',
    next: [{ state: 'information_request', status: 'won' }],
    goesOnAlone: false,
    outcome: 'Charged; 5 seconds later the issuer asks for information, to be answered within 10 days',
  },
  {
    case: 'G2',
    value: 'SIM-DISPUTE-CHARGEBACK',
    opens: 'chargeback',
    share: 'all',
    next: [chargebackWon],
    goesOnAlone: false,
    outcome: 'Charged; 5 seconds later a chargeback. Accept it: accepted. Defend it: challenged, then won',
  },
  {
    case: 'G3',
    value: 'SIM-DISPUTE-CHARGEBACK-LOSE',
    opens: 'chargeback',
    share: 'all',
    next: [chargebackLost],
    goesOnAlone: false,
    outcome: 'Charged; 5 seconds later a chargeback. Accept it: accepted. Defend it: challenged, then lost',
  },
  {
    case: 'G4',
    value: 'SIM-DISPUTE-PREARB',
    opens: 'chargeback',
    share: 'all',
    next: [chargebackWon, { state: 'pre_arbitration', status: 'action_required' }],
    goesOnAlone: true,
    outcome:
      'Charged; 5 seconds later a chargeback, which is won and then goes to pre-arbitration, each 5 seconds later',
  },
  {
    case: 'G5',
    value: 'SIM-DISPUTE-ARBITRATION',
    opens: 'chargeback',
    share: 'all',
    next: [
      chargebackWon,
      { state: 'scheme_arbitration', status: 'challenged' },
      { state: 'scheme_arbitration', status: 'lost' },
    ],
    goesOnAlone: true,
    outcome:
      'Charged; 5 seconds later a chargeback, which is won, then challenged in scheme arbitration and lost there, each 5 seconds later',
  },
  {
    case: 'G6',
    value: 'SIM-DISPUTE-SECOND',
    opens: 'chargeback',
    share: 'all',
    next: [chargebackWon, { state: 'second_chargeback', status: 'action_required' }],
    goesOnAlone: true,
    outcome:
      'Charged; 5 seconds later a chargeback, which is won and then raised again as a second chargeback that waits for an answer, each 5 seconds later',
  },
  {
    case: 'G7',
    value: 'SIM-DISPUTE-RECOVERED',
    opens: 'chargeback',
    share: 'all',
    next: [chargebackLost, { state: 'chargeback', status: 'recovered' }],
    goesOnAlone: true,
    outcome: 'Charged; 5 seconds later a chargeback, which is lost and then recovered, each 5 seconds later',
  },
  {
    case: 'G8',
    value: 'SIM-DISPUTE-PARTIAL',
    opens: 'chargeback',
    share: 'half',
    next: [chargebackWon],
    goesOnAlone: false,
    outcome: 'Charged; 5 seconds later a chargeback of half the amount, which goes on as a whole one does',
  },
];

/** The delay before a directive's dispute opens, and between its positions. */
export const disputeStepMs = 5_000;

/** How long the merchant has to respond to a dispute. */
export const disputeAnswerMs = 10 * 24 * 60 * 60 * 1000;

const byValue = new Map(disputeDirectives.map((directive) => [directive.value, directive]));

/** Returns the dispute that a directive asks for, or undefined if the directive means something else. */
export function findDisputeDirective(value: string): DisputeDirective | undefined {
  return byValue.get(value);
}
