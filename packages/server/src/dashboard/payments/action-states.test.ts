import type { Role } from '@till/contract/dashboard';
import { describe, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { type ActionFacts, actionStates } from './action-states.ts';

const now = new Date('2026-11-20T12:00:00Z');
const facts: ActionFacts = {
  role: 'owner',
  inDoubt: false,
  refunded: 0,
  disputeRefusal: null,
  refundLimit: null,
  unreachable: null,
};

function statesOf(
  payment: Partial<PaymentRow>,
  change: Partial<ActionFacts> = {},
  context: Partial<AccountContext> = {},
) {
  return actionStates(
    {
      status: 'succeeded',
      amount: 4990,
      capture_method: 'automatic',
      authorization_expires: null,
      ...payment,
    } as PaymentRow,
    { now, livemode: false, activation: 'active', ...context } as AccountContext,
    { ...facts, ...change },
  );
}

const allowed = (states: ReturnType<typeof statesOf>) =>
  Object.entries(states).flatMap(([name, state]) => (state.allowed ? [name] : []));

describe('what can be done with a payment', () => {
  it.each([
    ['requires_action', []],
    ['authorized', ['capture', 'void']],
    ['succeeded', ['refund']],
    ['failed', []],
    ['voided', []],
  ] as const)('that is %s', (status, actions) => {
    const states = statesOf({ status });
    expect(allowed(states)).toEqual(actions);
    for (const { allowed: may, reason } of Object.values(states)) {
      expect(reason === null).toBe(may);
    }
  });

  it('ends with the hold, but for the void', () => {
    const states = statesOf({ status: 'authorized', authorization_expires: now });
    expect(allowed(states)).toEqual(['void']);
    expect(states.capture.reason).toContain('2026-11-20T12:00:00Z');
  });

  it('is no second full refund', () => {
    expect(statesOf({}, { refunded: 4990 }).refund.reason).toMatch(/refunded in full/);
    expect(allowed(statesOf({}, { refunded: 4989 }))).toEqual(['refund']);
  });

  it('is no refund while a dispute keeps the rest, and says which', () => {
    const states = statesOf({}, { disputeRefusal: 'because of dispute dsp_1' });
    expect(allowed(states)).toEqual([]);
    expect(states.refund.reason).toContain('dsp_1');
  });

  it('is no refund in a currency in which the role may make none', () => {
    const held = (refundLimit: number) =>
      statesOf({ currency: 'USD' }, { role: 'support', refundLimit }).refund;
    expect(held(0)).toEqual({
      allowed: false,
      reason: 'Your role here, support, may not refund in USD. Owners and admins may.',
    });
    expect(held(1).allowed).toBe(true);
    expect(statesOf({ status: 'authorized' }, { refundLimit: 0 }).refund.reason).toMatch(/only held/);
  });

  it('depends on the role, which developers have in the sandbox only', () => {
    const may = (role: Role, livemode: boolean) => statesOf({}, { role }, { livemode }).refund.allowed;
    expect(
      (['owner', 'admin', 'developer', 'support', 'viewer'] as const).map((role) => may(role, true)),
    ).toEqual([true, true, false, true, false]);
    expect(may('developer', false)).toBe(true);
    expect(statesOf({}, { role: 'viewer' }).refund.reason).toContain('viewer');
  });

  it('waits for an answer of the processor, and needs a connection', () => {
    expect(statesOf({}, { inDoubt: true }).refund.reason).toMatch(/not answered/);
    expect(statesOf({}, { unreachable: 'Not connected.' }).refund.reason).toBe('Not connected.');
  });

  it('is no capture while live processing is not active; a void is', () => {
    const live = { livemode: true, activation: 'suspended' } as const;
    expect(allowed(statesOf({ status: 'authorized' }, {}, live))).toEqual(['void']);
    expect(statesOf({ status: 'authorized' }, {}, live).capture.reason).toContain('suspended');
  });
});
