import type { DisputePosition, DisputeStage, DisputeStatus } from '../../directives/dispute-directives.ts';
import { defaultDefence, disputeAnswerMs } from '../../directives/dispute-directives.ts';
import type { UpstreamAmount } from '../notifications/notification-items.ts';

/** One event in the course of a dispute, in the past or the future. */
export interface Step extends DisputePosition {
  /** ISO 8601, in the merchant account's own time. */
  readonly at: string;
  /** Null if the upstream sends no notification of the step. */
  readonly eventCode: string | null;
}

export interface Document {
  readonly typeCode: string;
  readonly contentType: string;
  /** In bytes. The content itself is validated but not stored. */
  readonly size: number;
}

/** Everything that the simulator stores about a dispute. */
export interface Dispute {
  readonly reference: string;
  readonly paymentPspReference: string;
  readonly amount: UpstreamAmount;
  readonly brand: string;
  readonly reasonCode: string;
  readonly reasonWords: string;
  readonly arn: string;
  /** The positions that follow a defence of the first position. */
  readonly afterDefence: readonly DisputePosition[];
  readonly steps: readonly Step[];
  readonly documents: readonly Document[];
}

const periodEnded = 'DISPUTE_DEFENSE_PERIOD_ENDED';

/**
 * The event that moves a dispute to a position (Adyen docs, "Dispute webhooks"). Null if no event announces
 * the move.
 */
const eventCodes: Readonly<Record<DisputeStage, Readonly<Partial<Record<DisputeStatus, string | null>>>>> = {
  information_request: {
    new: 'REQUEST_FOR_INFORMATION',
    action_required: 'REQUEST_FOR_INFORMATION',
    challenged: 'INFORMATION_SUPPLIED',
    accepted: periodEnded,
    won: 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED',
  },
  chargeback: {
    new: 'NOTIFICATION_OF_CHARGEBACK',
    action_required: 'NOTIFICATION_OF_CHARGEBACK',
    challenged: 'INFORMATION_SUPPLIED',
    accepted: 'CHARGEBACK',
    lost: 'CHARGEBACK',
    won: 'CHARGEBACK_REVERSED',
    recovered: 'CHARGEBACK_REVERSED',
  },
  // A defence leads to pre-arbitration. Events of an answer here would be taken for those of the first
  // chargeback.
  second_chargeback: {
    new: 'SECOND_CHARGEBACK',
    action_required: 'SECOND_CHARGEBACK',
    challenged: null,
    accepted: null,
    lost: 'SECOND_CHARGEBACK',
  },
  pre_arbitration: {
    new: 'PREARBITRATION_OPEN',
    action_required: 'PREARBITRATION_OPEN',
    challenged: 'PREARBITRATION_DECLINED',
    accepted: 'PREARBITRATION_ACCEPTED',
    won: 'PREARBITRATION_WON',
    recovered: 'PREARBITRATION_ISSUER_WITHDRAWN',
    lost: 'PREARBITRATION_LOST',
  },
  scheme_arbitration: {
    new: 'SCHEME_ARBITRATION',
    challenged: 'SCHEME_ARBITRATION',
    won: 'SCHEME_ARBITRATION_WON',
    recovered: 'SCHEME_ARBITRATION_WON',
    lost: 'SCHEME_ARBITRATION_LOST',
  },
};

/** The positions after a defence without a directive: the merchant wins. */
export function defenceOf(state: DisputeStage): readonly DisputePosition[] {
  if (state === 'chargeback') return defaultDefence;
  return [{ state: state === 'second_chargeback' ? 'pre_arbitration' : state, status: 'won' }];
}

export interface PlannedPosition {
  readonly position: DisputePosition;
  readonly at: Date;
}

/** Plans the positions at equal intervals, the first one at `first`. */
export function spaced(
  positions: readonly DisputePosition[],
  first: Date,
  gapMs: number,
): readonly PlannedPosition[] {
  return positions.map((position, index) => ({
    position,
    at: new Date(first.getTime() + index * gapMs),
  }));
}

/** Returns the current step of a dispute, or undefined before the dispute opens. */
export function currentStep({ steps }: Pick<Dispute, 'steps'>, now: Date): Step | undefined {
  return steps.findLast(({ at }) => Date.parse(at) <= now.getTime());
}

/** Returns the merchant's deadline for a position that was reached at the given time. */
export function answerableUntil(at: Date): Date {
  return new Date(at.getTime() + disputeAnswerMs);
}

export function waitsForMerchant({ status }: DisputePosition): boolean {
  return status === 'action_required' || status === 'new';
}

/**
 * Whether the upstream can still send the event of a position. It sends each event of a dispute only once.
 */
export function canSend({ steps }: Pick<Dispute, 'steps'>, now: Date, position: DisputePosition): boolean {
  const eventCode = eventCodes[position.state][position.status];
  return (
    typeof eventCode === 'string' &&
    !steps.some((step) => step.eventCode === eventCode && Date.parse(step.at) <= now.getTime())
  );
}

/** The event that is sent if nobody answers in time. The later stages have no event of their own for that. */
const endOfTime = (state: DisputeStage): string | null =>
  state === 'information_request' || state === 'chargeback'
    ? periodEnded
    : (eventCodes[state].accepted ?? null);

/**
 * Returns the steps of a dispute that takes another course from now on: past steps stay, future ones are
 * replaced. If the last position waits for the merchant, the end of that period is added as a step. Positions
 * without an event are left out.
 */
export function redirected(
  steps: readonly Step[],
  now: Date,
  planned: readonly PlannedPosition[],
): readonly Step[] {
  const past = steps.filter(({ at }) => Date.parse(at) <= now.getTime());
  const coming = planned.flatMap(({ position, at }) => {
    const eventCode = eventCodes[position.state][position.status];
    return eventCode === undefined ? [] : [{ ...position, at: at.toISOString(), eventCode }];
  });
  const last = coming.at(-1);
  if (last === undefined || !waitsForMerchant(last)) return [...past, ...coming];
  const at = answerableUntil(new Date(last.at)).toISOString();
  return [
    ...past,
    ...coming,
    { state: last.state, status: 'accepted', at, eventCode: endOfTime(last.state) },
  ];
}
