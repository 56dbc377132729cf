import type { DisputeState, DisputeStatus } from '../processors/port/disputes.ts';

/** State and status of a dispute. */
export interface Position {
  readonly state: DisputeState;
  readonly status: DisputeStatus;
}

const states: readonly DisputeState[] = [
  'information_request',
  'chargeback',
  'second_chargeback',
  'pre_arbitration',
  'scheme_arbitration',
];

/** The status transitions within one state (decisions, "Disputes"). All others are impossible. */
const statusMoves: Readonly<Record<DisputeStatus, readonly DisputeStatus[]>> = {
  new: ['action_required'],
  action_required: ['accepted', 'challenged'],
  challenged: ['won', 'lost'],
  won: [],
  lost: ['recovered'],
  accepted: [],
  recovered: [],
};

interface StateMove {
  readonly from: readonly DisputeState[];
  /** Null for any status. */
  readonly statuses: readonly DisputeStatus[] | null;
  readonly to: readonly Position[];
}

/** The transitions to another state. None leads back, so that old updates can be distinguished from new ones. */
const stateMoves: readonly StateMove[] = [
  {
    from: ['information_request'],
    statuses: null,
    to: [
      { state: 'chargeback', status: 'new' },
      { state: 'chargeback', status: 'action_required' },
    ],
  },
  // The issuer rejects the defence. The upstream may have reported it as won or recovered before.
  {
    from: ['chargeback', 'second_chargeback'],
    statuses: ['challenged', 'won', 'recovered'],
    to: [{ state: 'pre_arbitration', status: 'action_required' }],
  },
  {
    from: ['chargeback'],
    statuses: ['won', 'recovered'],
    to: [{ state: 'second_chargeback', status: 'action_required' }],
  },
  {
    from: ['pre_arbitration'],
    statuses: ['challenged'],
    to: [{ state: 'scheme_arbitration', status: 'challenged' }],
  },
];

const nameOf = ({ state, status }: Position) => `${state} ${status}`;

/** The positions that are one transition away. */
export function nextPositions({ state, status }: Position): Position[] {
  const here = statusMoves[status].map((next) => ({ state, status: next }));
  const onwards = stateMoves
    .filter(({ from, statuses }) => from.includes(state) && (statuses?.includes(status) ?? true))
    .flatMap(({ to }) => to);
  return [...here, ...onwards];
}

function reachableFrom(start: Position): ReadonlySet<string> {
  const reached = new Map<string, Position>();
  const open = nextPositions(start);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(nameOf(next))) continue;
    reached.set(nameOf(next), next);
    open.push(...nextPositions(next));
  }
  return new Set(reached.keys());
}

const reachable = new Map(
  states.flatMap((state) =>
    (Object.keys(statusMoves) as DisputeStatus[]).map((status) => {
      const position = { state, status };
      return [nameOf(position), reachableFrom(position)] as const;
    }),
  ),
);

/** Whether a position can be reached from another by any number of transitions. Upstreams do not report every one of them. */
export const liesAhead = (from: Position, to: Position): boolean =>
  reachable.get(nameOf(from))?.has(nameOf(to)) === true;

/**
 * Returns the position after an update: the reported one if it lies ahead, or the present one if the update is old, repeated or
 * contradicts the transitions. A win and a loss together are a recovery in either order of receipt, because the win can only
 * follow the loss.
 * @param reported null for a part that the upstream did not report, which then stays as it is
 */
export function follow(
  present: Position,
  reported: { readonly state: DisputeState | null; readonly status: DisputeStatus | null },
): Position {
  const target = { state: reported.state ?? present.state, status: reported.status ?? present.status };
  if (isRecovery(present, target)) return { state: target.state, status: 'recovered' };
  return liesAhead(present, target) ? target : present;
}

function isRecovery(present: Position, target: Position): boolean {
  // A chargeback may be won after a lost request for information. That is another stage, not a recovery.
  if (liesAhead(present, target)) return false;
  if (present.status === 'lost') {
    const later = states.indexOf(target.state) >= states.indexOf(present.state);
    return later && (target.status === 'won' || target.status === 'recovered');
  }
  return present.status === 'won' && target.status === 'lost' && target.state === present.state;
}

/** The position in which a reported dispute is stored: `new` becomes `action_required` if an answer is due. */
export function firstPosition(reported: Position, answerDue: boolean): Position {
  return reported.status === 'new' && answerDue ? { ...reported, status: 'action_required' } : reported;
}

/** Whether the dispute is closed. A later update may still open it again. */
export const isClosed = (status: DisputeStatus): boolean =>
  status === 'accepted' || status === 'lost' || status === 'won' || status === 'recovered';
