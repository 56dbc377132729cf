import type { DisputeFacts } from '../../processors/port/disputes.ts';
import type { DisputeRow } from '../present.ts';
import { firstPosition, follow, liesAhead, type Position } from '../state.ts';

/** How an update relates to a dispute: it moves it, repeats its position, reports a past one, or contradicts the transitions. */
export type Update = 'onward' | 'same' | 'old' | 'contradictory';

const isSame = (one: Position, other: Position) => one.state === other.state && one.status === other.status;

/**
 * The position of a dispute that the processor last reported. If Till closed the dispute at its deadline, that is still
 * `action_required`.
 */
export const knownPosition = ({
  state,
  status,
  concluded_by: by,
}: Pick<DisputeRow, 'state' | 'status' | 'concluded_by'>): Position => ({
  state,
  status: by === 'deadline' ? 'action_required' : status,
});

/** Classifies an update of a dispute. */
export function kindOfUpdate(row: DisputeRow, facts: DisputeFacts): Update {
  const known = knownPosition(row);
  const reported: Position = { state: facts.state ?? known.state, status: facts.status ?? known.status };
  if (!isSame(follow(known, facts), known)) return 'onward';
  if (isSame(reported, known)) return 'same';
  const wasWon = known.status === 'recovered' && reported.status === 'won';
  return liesAhead(reported, known) || wasWon ? 'old' : 'contradictory';
}

/** Whether the processor extends the deadline of a dispute that Till closed as overdue. @param now account time */
const extendsDeadline = (row: DisputeRow, facts: DisputeFacts, now: Date): boolean =>
  row.concluded_by === 'deadline' &&
  kindOfUpdate(row, facts) === 'same' &&
  facts.status === 'action_required' &&
  facts.respondBy !== null &&
  facts.respondBy.getTime() > now.getTime();

/** The earlier of two times; null only if both are. */
function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one.getTime() <= other.getTime() ? one : other;
}

/**
 * Returns the dispute after an update. Updates may be repeated and arrive in any order: a newer one, by the transitions, replaces
 * known values, and an older one only fills in missing values. An update that moves the dispute or extends its
 * deadline overrides its closing at the deadline.
 * @param now account time
 */
export function mergeFacts(row: DisputeRow, facts: DisputeFacts, now: Date): DisputeRow {
  const update = kindOfUpdate(row, facts);
  const moves = update === 'onward' || extendsDeadline(row, facts, now);
  const reached = moves ? follow(knownPosition(row), facts) : { state: row.state, status: row.status };
  const fresh = update === 'onward' || update === 'same';
  const take = <T>(known: T | null, reported: T | null): T | null =>
    fresh ? (reported ?? known) : (known ?? reported);
  const respondBy = deadline(row, facts, { opened: moves && isOpen(reached.status), fresh });
  const to = firstPosition(reached, respondBy !== null);
  const raised = to.status === 'action_required' && (moves || row.status === 'new');
  const moved = respondBy?.getTime() !== row.respond_by?.getTime();
  return {
    ...row,
    ...to,
    concluded_by: moves ? null : row.concluded_by,
    amount: take(row.amount, facts.amount),
    currency: take(row.currency, facts.currency),
    reason: take(row.reason, facts.reason),
    network_reason_code: take(row.network_reason_code, facts.networkReasonCode),
    arn: take(row.arn, facts.arn),
    raised_at: earlier(row.raised_at, facts.raisedAt),
    respond_by: respondBy,
    action_since: raised ? now : row.action_since,
    reminders: raised || moved ? 0 : row.reminders,
  };
}

/** Whether an answer is due, or becomes due once there is a deadline. */
const isOpen = (status: DisputeRow['status']): boolean => status === 'new' || status === 'action_required';

/**
 * While a dispute is open, only the deadline of the current demand counts: that of an earlier demand must never close a later
 * one.
 */
function deadline(
  row: DisputeRow,
  facts: DisputeFacts,
  { opened, fresh }: { opened: boolean; fresh: boolean },
): Date | null {
  if (opened) return facts.respondBy;
  if (fresh) return facts.respondBy ?? row.respond_by;
  return isOpen(row.status) ? row.respond_by : (row.respond_by ?? facts.respondBy);
}

/** Whether two rows of a dispute differ in any column. */
export const differs = (one: DisputeRow, other: DisputeRow): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);

/**
 * The position of a new dispute; undefined if the updates do not contain its state. Other disputes of the payment are irrelevant:
 * the processor reports a second chargeback as such in every update.
 */
export function beginning(facts: DisputeFacts): Position | undefined {
  if (facts.state === null) return undefined;
  return firstPosition({ state: facts.state, status: facts.status ?? 'new' }, facts.respondBy !== null);
}
