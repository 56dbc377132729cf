import type { DisputeState, DisputeStatus } from '../processors/port/disputes.ts';

/** Where a dispute stands. */
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

/** What follows what while the state stays (decisions, "Disputes"). What is not listed never happens. */
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
  /** Null: whatever the status was. */
  readonly statuses: readonly DisputeStatus[] | null;
  readonly to: readonly Position[];
}

/** How a dispute gets into another state. No way leads back, so that old updates differ from new ones. */
const stateMoves: readonly StateMove[] = [
  {
    from: ['information_request'],
    statuses: null,
    to: [
      { state: 'chargeback', status: 'new' },
      { state: 'chargeback', status: 'action_required' },
    ],
  },
  // The issuer rejects the defence, which the upstream may have announced as won, or as recovered, meanwhile.
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

/** The positions that directly follow one. */
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

/** Whether one position lies ahead of another, over any number of moves: upstreams do not report every one. */
export const liesAhead = (from: Position, to: Position): boolean =>
  reachable.get(nameOf(from))?.has(nameOf(to)) === true;

/**
 * Where updates lead a dispute: ahead along the table, or nowhere where they are old, repeated or contradict the table.
 * A win after a loss is a recovery, whichever of the two is received first: no other order of them exists.
 * @param reported null where the upstream did not say: then it is as before
 */
export function follow(
  present: Position,
  reported: { readonly state: DisputeState | null; readonly status: DisputeStatus | null },
): Position {
  const target = { state: reported.state ?? present.state, status: reported.status ?? present.status };
  if (meetsLoss(present, target)) return { state: target.state, status: 'recovered' };
  return liesAhead(present, target) ? target : present;
}

function meetsLoss(present: Position, target: Position): boolean {
  // After a lost request for information the chargeback may still be won: that is another stage, not a recovery.
  if (liesAhead(present, target)) return false;
  if (present.status === 'lost') {
    const later = states.indexOf(target.state) >= states.indexOf(present.state);
    return later && (target.status === 'won' || target.status === 'recovered');
  }
  return present.status === 'won' && target.status === 'lost' && target.state === present.state;
}

/** How a dispute is stored: where an answer is due, `new` is over at once. */
export function firstPosition(reported: Position, answerDue: boolean): Position {
  return reported.status === 'new' && answerDue ? { ...reported, status: 'action_required' } : reported;
}

/** Whether the dispute is over, for now. */
export const isClosed = (status: DisputeStatus): boolean =>
  status === 'accepted' || status === 'lost' || status === 'won' || status === 'recovered';
