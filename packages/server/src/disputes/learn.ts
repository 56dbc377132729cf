import type { DisputeFacts } from '../processors/port/disputes.ts';
import type { DisputeRow } from './present.ts';
import { firstPosition, follow, liesAhead, type Position } from './state.ts';

/** What news do to a dispute: lead it on, repeat where it stands, tell of its past, or contradict the table of moves. */
export type News = 'onward' | 'same' | 'old' | 'contradictory';

const isSame = (one: Position, other: Position) => one.state === other.state && one.status === other.status;

/** Of what kind news of a dispute are. */
export function newsOf(row: DisputeRow, facts: DisputeFacts): News {
  const told: Position = { state: facts.state ?? row.state, status: facts.status ?? row.status };
  if (!isSame(follow(row, facts), row)) return 'onward';
  if (isSame(told, row)) return 'same';
  const wasWon = row.status === 'recovered' && told.status === 'won';
  return liesAhead(told, row) || wasWon ? 'old' : 'contradictory';
}

/** The earlier of two moments. */
function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one.getTime() <= other.getTime() ? one : other;
}

/**
 * The dispute after news of it. News may be repeated and may come in any order: what is newer along the table replaces
 * what is known; what is older only fills in what nobody has told yet.
 * @param now account time
 */
export function learn(row: DisputeRow, facts: DisputeFacts, now: Date): DisputeRow {
  const to = follow(row, facts);
  const news = newsOf(row, facts);
  const fresh = news === 'onward' || news === 'same';
  const take = <T>(known: T | null, told: T | null): T | null => (fresh ? (told ?? known) : (known ?? told));
  const raised = news === 'onward' && to.status === 'action_required';
  const respondBy = deadline(row, facts, { raised, fresh });
  const moved = respondBy?.getTime() !== row.respond_by?.getTime();
  return {
    ...row,
    ...to,
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

/** While an answer is due only that demand's own deadline counts: an earlier one must never end a later demand. */
function deadline(
  row: DisputeRow,
  facts: DisputeFacts,
  { raised, fresh }: { raised: boolean; fresh: boolean },
): Date | null {
  if (raised) return facts.respondBy;
  if (fresh) return facts.respondBy ?? row.respond_by;
  return row.status === 'action_required' ? row.respond_by : (row.respond_by ?? facts.respondBy);
}

/** Whether two rows of a dispute differ in anything that is kept. */
export const differs = (one: DisputeRow, other: DisputeRow): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);

/** Where a dispute stands that is heard of for the first time; undefined where the news do not say enough. */
export function beginning(facts: DisputeFacts, isRaisedAgain: boolean): Position | undefined {
  if (facts.state === null) return undefined;
  const state = facts.state === 'chargeback' && isRaisedAgain ? 'second_chargeback' : facts.state;
  return firstPosition({ state, status: facts.status ?? 'new' }, facts.respondBy !== null);
}
