import { disputeStates, disputeStatuses } from '@till/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstPosition, follow, isClosed, liesAhead, nextPositions, type Position } from './state.ts';

const positions: Position[] = disputeStates.flatMap((state) =>
  disputeStatuses.map((status) => ({ state, status })),
);
const at = (text: string): Position => {
  const [state, status] = text.split(' ');
  return { state, status } as Position;
};
const nameOf = ({ state, status }: Position) => `${state} ${status}`;

/** A sequence of allowed transitions from any position. */
const walks = fc
  .tuple(fc.constantFrom(...positions), fc.array(fc.nat(), { maxLength: 12 }))
  .map(([start, choices]) => {
    const walk = [start];
    for (const choice of choices) {
      const here = walk.at(-1) ?? start;
      const next = nextPositions(here);
      const chosen = next[choice % Math.max(next.length, 1)];
      if (chosen === undefined) break;
      walk.push(chosen);
    }
    return walk;
  });

/** A position as upstreams report it: they report a recovery as a win. */
const asReported = (position: Position): Position =>
  position.status === 'recovered' ? { ...position, status: 'won' } : position;

const receive = (update: readonly Position[]): Position | undefined =>
  update.reduce<Position | undefined>(
    (known, next) => (known === undefined ? next : follow(known, next)),
    undefined,
  );

describe('the table of moves', () => {
  it.each([
    ['chargeback new', 'chargeback action_required'],
    ['chargeback action_required', 'chargeback accepted'],
    ['chargeback action_required', 'chargeback challenged'],
    ['chargeback challenged', 'chargeback won'],
    ['chargeback challenged', 'chargeback lost'],
    ['chargeback challenged', 'pre_arbitration action_required'],
    ['pre_arbitration challenged', 'scheme_arbitration challenged'],
    ['scheme_arbitration challenged', 'scheme_arbitration won'],
    ['scheme_arbitration challenged', 'scheme_arbitration lost'],
    ['chargeback won', 'second_chargeback action_required'],
    ['chargeback lost', 'chargeback recovered'],
    ['chargeback recovered', 'second_chargeback action_required'],
    ['chargeback recovered', 'pre_arbitration action_required'],
    ['second_chargeback recovered', 'pre_arbitration action_required'],
    ['information_request action_required', 'chargeback action_required'],
    ['information_request accepted', 'chargeback action_required'],
  ])('allows %s → %s', (from, to) => {
    expect(nextPositions(at(from)).map(nameOf)).toContain(to);
  });

  it.each([
    ['chargeback accepted', 'chargeback challenged'],
    ['chargeback won', 'chargeback action_required'],
    ['chargeback lost', 'chargeback challenged'],
    ['chargeback challenged', 'chargeback accepted'],
    ['chargeback recovered', 'chargeback lost'],
    ['scheme_arbitration recovered', 'pre_arbitration action_required'],
    ['scheme_arbitration recovered', 'second_chargeback action_required'],
    ['chargeback action_required', 'information_request action_required'],
    ['scheme_arbitration challenged', 'pre_arbitration action_required'],
  ])('forbids %s → %s', (from, to) => {
    expect(liesAhead(at(from), at(to))).toBe(false);
  });

  it('has no cycle', () => {
    for (const position of positions) expect(liesAhead(position, position)).toBe(false);
  });

  it('accept and defend only where an answer is due', () => {
    const answerable = positions.filter((position) =>
      nextPositions(position).some(
        ({ state, status }) => state === position.state && ['accepted', 'challenged'].includes(status),
      ),
    );
    expect(new Set(answerable.map(({ status }) => status))).toEqual(new Set(['action_required']));
    expect(answerable).toHaveLength(disputeStates.length);
  });
});

describe('updates of a dispute', () => {
  it('end at the same position in any order and any number of copies', () => {
    const shuffledWalks = walks.chain((walk) =>
      fc.tuple(
        fc.constant(walk),
        fc
          .array(fc.constantFrom(...walk), { maxLength: 12 })
          .chain((again) =>
            fc.shuffledSubarray([...walk, ...again], { minLength: walk.length + again.length }),
          ),
      ),
    );
    fc.assert(
      fc.property(shuffledWalks, ([walk, shuffled]) => {
        expect(receive(shuffled.map(asReported))).toEqual(receive(walk.map(asReported)));
        // Received in order, the updates end where the walk does. Only a recovery received alone counts as a win.
        const end = walk.at(-1);
        if (walk.length > 1) expect(receive(walk.map(asReported))).toEqual(end);
      }),
      { numRuns: 3000 },
    );
  });

  it('a chargeback won after a lost request for information is a win, also with late updates between', () => {
    const lost = { state: 'information_request', status: 'lost' } as const;
    const won = { state: 'chargeback', status: 'won' } as const;
    expect(follow(lost, won)).toEqual(won);
    expect(follow(won, lost)).toEqual(won);
  });

  it('change nothing where they lie behind', () => {
    fc.assert(
      fc.property(fc.constantFrom(...positions), fc.constantFrom(...positions), (present, reported) => {
        const after = follow(present, reported);
        const isRecovery = after.status === 'recovered';
        expect(nameOf(after) === nameOf(present) || isRecovery || liesAhead(present, after)).toBe(true);
        if (isRecovery && present.status !== 'recovered') {
          expect(
            present.status === 'lost' || reported.status === 'lost' || liesAhead(present, reported),
          ).toBe(true);
        }
      }),
    );
  });

  it('keep the position where state or status is missing', () => {
    const present = at('chargeback action_required');
    expect(follow(present, { state: null, status: null })).toEqual(present);
    expect(follow(present, { state: null, status: 'challenged' })).toEqual(at('chargeback challenged'));
    expect(follow(at('information_request action_required'), { state: 'chargeback', status: null })).toEqual(
      at('chargeback action_required'),
    );
  });

  it.each([
    ['chargeback lost', 'chargeback won'],
    ['chargeback won', 'chargeback lost'],
  ])('a win and a loss are a recovery: %s, then %s', (first, second) => {
    expect(follow(at(first), at(second))).toEqual(at('chargeback recovered'));
  });

  it('may skip positions that upstreams do not report', () => {
    expect(follow(at('chargeback won'), at('scheme_arbitration challenged'))).toEqual(
      at('scheme_arbitration challenged'),
    );
    expect(follow(at('chargeback won'), at('second_chargeback lost'))).toEqual(at('second_chargeback lost'));
  });
});

describe('the first position', () => {
  it('is new only where no answer is due', () => {
    expect(firstPosition(at('chargeback new'), true)).toEqual(at('chargeback action_required'));
    expect(firstPosition(at('chargeback new'), false)).toEqual(at('chargeback new'));
    expect(firstPosition(at('chargeback lost'), true)).toEqual(at('chargeback lost'));
  });

  it('is closed where no further update is expected', () => {
    expect(disputeStatuses.filter(isClosed)).toEqual(['recovered', 'accepted', 'lost', 'won']);
  });
});
