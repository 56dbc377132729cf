import type { DisputeFacts, DisputeState, DisputeStatus } from '../../port/disputes.ts';
import { jsonText } from '../../wire/json.ts';
import { disputeReason } from '../disputes/dispute-reason.ts';
import { dateOf, type NotificationItem, ownId } from './notification-item.ts';

interface Position {
  /** Null: the event occurs in several stages (`stageOf`). */
  readonly state: DisputeState | null;
  readonly status: (item: NotificationItem) => DisputeStatus;
  /** A dispute can begin with this event. */
  readonly opens?: true;
}

const always = (status: DisputeStatus) => (): DisputeStatus => status;

/**
 * State and status of a dispute after each event (Adyen docs, "Dispute webhooks"). A reversed chargeback or a won arbitration
 * is `won`; only a caller that knows the previous status can call it `recovered`.
 */
const positions: ReadonlyMap<string, Position> = new Map<string, Position>([
  [
    'REQUEST_FOR_INFORMATION',
    { state: 'information_request', status: always('action_required'), opens: true },
  ],
  ['NOTIFICATION_OF_CHARGEBACK', { state: 'chargeback', status: announced, opens: true }],
  ['CHARGEBACK', { state: 'chargeback', status: debited, opens: true }],
  ['INFORMATION_SUPPLIED', { state: null, status: always('challenged') }],
  ['CHARGEBACK_REVERSED', { state: 'chargeback', status: always('won') }],
  ['SECOND_CHARGEBACK', { state: 'second_chargeback', status: debited }],
  ['PREARBITRATION_OPEN', { state: 'pre_arbitration', status: always('action_required') }],
  ['PREARBITRATION_DECLINED', { state: 'pre_arbitration', status: always('challenged') }],
  ['PREARBITRATION_ACCEPTED', { state: 'pre_arbitration', status: always('accepted') }],
  ['PREARBITRATION_WON', { state: 'pre_arbitration', status: always('won') }],
  ['PREARBITRATION_ISSUER_WITHDRAWN', { state: 'pre_arbitration', status: always('won') }],
  ['PREARBITRATION_LOST', { state: 'pre_arbitration', status: always('lost') }],
  ['SCHEME_ARBITRATION', { state: 'scheme_arbitration', status: always('challenged') }],
  ['SCHEME_ARBITRATION_WON', { state: 'scheme_arbitration', status: always('won') }],
  ['SCHEME_ARBITRATION_LOST', { state: 'scheme_arbitration', status: always('lost') }],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', { state: null, status: always('accepted') }],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { state: null, status: always('won') }],
]);

/** The upstream defends automatically if it has the data that the scheme requires. */
function announced({ additionalData }: NotificationItem): DisputeStatus {
  return jsonText(additionalData, 'autoDefended') === 'true' ? 'challenged' : 'action_required';
}

const statuses: ReadonlyMap<string, DisputeStatus> = new Map([
  ['Pending', 'challenged'],
  ['Responded', 'challenged'],
  ['Accepted', 'accepted'],
  ['Expired', 'accepted'],
  ['Lost', 'lost'],
  ['Won', 'won'],
]);

function debited({ additionalData }: NotificationItem): DisputeStatus {
  const known = statuses.get(jsonText(additionalData, 'disputeStatus') ?? '');
  const open = jsonText(additionalData, 'defendable') === 'false' ? 'lost' : 'action_required';
  return known ?? open;
}

/** Statuses that only requests for information have (Adyen docs, "Dispute webhooks"). */
const inquiryStatuses: ReadonlySet<string | null> = new Set(['Unresponded', 'Responded', 'Expired']);

/**
 * The stage of an event that occurs in several stages, derived from its other data. An inquiry and the chargeback after it
 * are one dispute, so a late event must not answer or end a later stage. An event with chargeback data is of the first
 * chargeback, because later stages have events of their own. An event that shows no stage changes nothing.
 */
function stageOf({ additionalData }: NotificationItem): DisputeState | null {
  const names = (kind: string): boolean =>
    ['ReasonCode', 'SchemeCode'].some((name) => jsonText(additionalData, `${kind}${name}`) !== null);
  const isInquiry = inquiryStatuses.has(jsonText(additionalData, 'disputeStatus'));
  if (names('chargeback')) return isInquiry ? null : 'chargeback';
  return isInquiry || names('rfi') ? 'information_request' : null;
}

/** The facts of a dispute in an event; undefined if the event is not about a dispute (Adyen Standard webhooks v1). */
export function disputeFacts(item: NotificationItem): DisputeFacts | undefined {
  const position = positions.get(item.eventCode);
  if (position === undefined || !item.success) return undefined;
  const { additionalData, originalReference, merchantReference } = item;
  const either = (name: string): string | null =>
    jsonText(additionalData, `chargeback${name}`) ?? jsonText(additionalData, `rfi${name}`);
  // Some schemes' codes have a leading space.
  const code = either('ReasonCode')?.trim() || null;
  const state = position.state ?? stageOf(item);
  // A disputed amount of zero means no amount was given: then the whole payment is disputed.
  const money = item.amount?.amount === 0 ? undefined : item.amount;
  return {
    upstreamId: item.pspReference,
    paymentId: ownId('pay_', merchantReference),
    payment: originalReference === null ? {} : { psp: originalReference },
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
    state,
    status: state === null ? null : position.status(item),
    reason:
      code === null ? null : disputeReason(either('SchemeCode') ?? item.paymentMethod, code, item.reason),
    networkReasonCode: code,
    respondBy: dateOf(jsonText(additionalData, 'defensePeriodEndsAt')),
    raisedAt: position.opens ? item.eventDate : null,
    arn: jsonText(additionalData, 'arn'),
  };
}
