import { ApiError } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { OperationWaits } from '../../lib/waiting/operation-waits.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { SubmitCardOutcome } from '../../processors/port/port.ts';
import { type CheckoutDependencies, submitCard, type Visit } from './flow.ts';

const waiting = {
  id: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
  status: 'requires_action',
  save_model: null,
  processor_identity: null,
  confirm_by: null,
  confirm_attempt: 0,
} as PaymentRow;
const visit = {
  context: { livemode: false, now: new Date(0), connection: { connected: true } },
  payment: waiting,
  request: {},
  customer: null,
  token: {},
} as unknown as Visit;
const card = { number: '4111111111111111', expMonth: 3, expYear: 2032, cvc: '737', holderName: 'Jane' };
const lease = { owner: 1, until: new Date(0) };

interface World {
  readonly attempt?: number | 'busy' | 'spent';
  readonly found?: PaymentRow;
  readonly outcome?: SubmitCardOutcome;
  readonly isOpen?: boolean;
  /** What another tab makes of the payment while this tab's step is in progress. */
  readonly meanwhile?: PaymentRow;
}

/** A page with the real logic of submitting a card, on top of replaced dependencies. */
function world({
  attempt = 1,
  found = waiting,
  outcome = { kind: 'approved' },
  isOpen = false,
  meanwhile = found,
}: World) {
  let present = found;
  const sent: string[] = [];
  const calls: string[] = [];
  const clock = { now: () => new Date(0), elapsed: () => 0, delay: async () => {} };
  const deps = {
    payments: {
      clock,
      waits: new OperationWaits(clock),
      lease: () => lease,
      randomBytes: (size: number) => new Uint8Array(size),
      store: { findAnswered: async () => present },
      operations: {
        async isOpen() {
          present = meanwhile;
          return isOpen;
        },
        begin: async () => {
          throw new ApiError('provider_unavailable', 'the processor did not answer');
        },
      },
      links: { returnUrl: () => 'https://till.example/r', cancelUrl: () => 'https://till.example/c' },
      connect: () => ({
        connection: {},
        identity: 'live:Two',
        port: {
          retryAfterSeconds: () => null,
          submitCard: async (_connection: unknown, { upstreamKey }: { upstreamKey: string }) => {
            sent.push(upstreamKey);
            return outcome;
          },
        },
      }),
    },
    tokens: {
      takeLease: async () => attempt,
      endLease: async () => void calls.push('ended'),
      sendToBank: async (_token: unknown, url: string) => void calls.push(url),
      countRefusal: async () => void calls.push('refused'),
    },
  } as unknown as CheckoutDependencies;
  return { deps, sent, calls };
}

describe('a card that the buyer sends', () => {
  it('goes under a key of its own, so that no other card’s answer can be taken for its own', async () => {
    const { deps, sent, calls } = world({ attempt: 3, outcome: { kind: 'card_refused', code: 'refused' } });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'card_refused', code: 'refused' });
    expect(sent).toEqual([`${waiting.id}:s:3`]);
    expect(calls).toEqual(['refused', 'ended']);
  });

  it.each([
    ['busy', 'processing'],
    ['spent', 'too_many_cards'],
  ] as const)('is not sent while the page is %s', async (attempt, kind) => {
    const { deps, sent } = world({ attempt });
    expect(await submitCard(deps, visit, card)).toEqual({ kind });
    expect(sent).toEqual([]);
  });

  it('is not sent where another form of the page has ended the payment meanwhile', async () => {
    const found = { ...waiting, status: 'succeeded' } as PaymentRow;
    const { deps, sent, calls } = world({ found });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'ended_before', payment: found });
    expect(sent).toEqual([]);
    expect(calls).toEqual(['ended']);
  });

  it('is not sent to another merchant account than the order was made with', async () => {
    const found = { ...waiting, processor_identity: 'live:One' } as PaymentRow;
    const { deps, sent, calls } = world({ found });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'not_possible' });
    expect(sent).toEqual([]);
    expect(calls).toEqual(['ended']);
  });

  const paid = { ...waiting, status: 'succeeded' } as PaymentRow;
  const none = { answer: 'provider_unavailable', reason: 'timeout' } as const;
  it.each<[string, World]>([
    ['is refused', { outcome: { kind: 'card_refused', code: 'refused' } }],
    ['gets no answer', { outcome: { kind: 'unknown', ...none } }],
    ['is not sent for want of attempts', { attempt: 'spent' }],
    ['has an order without answer', { outcome: { kind: 'not_executed', ...none } }],
  ])('and %s while another tab pays shows what was paid', async (_, situation) => {
    const { deps } = world({ ...situation, meanwhile: paid });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'ended_before', payment: paid });
  });

  it('whose confirm gets no answer shows what recovery found out meanwhile', async () => {
    const { deps } = world({ meanwhile: paid });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'settled', payment: paid });
  });

  it('waits for the bank where that asks first', async () => {
    const { deps, calls } = world({ outcome: { kind: 'redirect', redirectUrl: 'https://bank.example/1' } });
    expect(await submitCard(deps, visit, card)).toEqual({ kind: 'at_bank' });
    expect(calls).toEqual(['https://bank.example/1', 'ended']);
  });

  it.each(['unknown', 'not_executed'] as const)(
    'and of which the processor says nothing (%s) has taken no money: only confirm charges',
    async (kind) => {
      const { deps } = world({ outcome: { kind, answer: 'provider_unavailable', reason: 'timeout' } });
      expect(await submitCard(deps, visit, card)).toEqual({ kind: 'not_reached' });
    },
  );

  it.each([
    [true, 'in_doubt'],
    [false, 'not_reached'],
  ] as const)('is in doubt exactly while the charge itself is open (%s)', async (isOpen, kind) => {
    const { deps, calls } = world({ isOpen });
    expect(await submitCard(deps, visit, card)).toEqual({ kind });
    expect(calls).toEqual(['ended']);
  });
});
