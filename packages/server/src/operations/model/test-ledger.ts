import type { Provider } from '@till/contract';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import type {
  ChargeOutcome,
  LookUpOutcome,
  NoAnswer,
  ProcessorPort,
  SettledOutcome,
  UpstreamIds,
} from '../../processors/port/port.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { idsOnly } from '../../processors/upstream/facts.ts';

/**
 * What happens to a call. `dropped` and `lost`: no answer, before or after the call was carried out. `not_executed`: the
 * processor answers that it did nothing. `dies_before` and `dies_after`: the asking process dies before or after the call was
 * carried out, and never continues.
 */
export const faults = ['none', 'dropped', 'lost', 'not_executed', 'dies_before', 'dies_after'] as const;
export type Fault = (typeof faults)[number];

export const isDeath = (fault: Fault): boolean => fault.startsWith('dies');

export const amount = 4990;
export const currency = 'EUR';
export const token = 'tok_1';

const ids = { order: 'ORDER', authorization: 'HOLD', capture: 'CAPTURE' } as const satisfies UpstreamIds;
const refundId = 'REFUND';
const link = 'https://wallet.example/approve';
const dayMs = 24 * 3_600_000;
const noAnswer = (kind: NoAnswer['kind']): NoAnswer => ({
  kind,
  answer: 'provider_unavailable',
  reason: 'test',
});

/** The outcome of the next call of each kind, if it is carried out. */
export interface Plan {
  charge: 'succeeded' | 'authorized' | 'declined' | 'requires_action';
  confirm: 'succeeded' | 'authorized' | 'declined' | 'not_approved';
  capture: 'succeeded' | 'declined' | 'hold_gone';
  void: 'voided' | 'already_captured';
  refund: 'succeeded' | 'failed' | 'pending';
  /** How a refund ends whose answer was `pending`. */
  refundEnd: 'succeeded' | 'failed';
  dispute: 'done' | 'refused';
}

/**
 * A processor that knows one payment, with one refund, dispute and token. It always repeats its first answer to a key. Whatever
 * moves or holds money, or changes anything else, is an effect: one for each key with which it was carried out.
 */
export class Ledger {
  readonly effects: string[] = [];
  /** The faults of the next calls. Calls after them are answered. */
  faults: Fault[] = [];
  plan: Plan = {
    charge: 'succeeded',
    confirm: 'succeeded',
    capture: 'succeeded',
    void: 'voided',
    refund: 'succeeded',
    refundEnd: 'succeeded',
    dispute: 'done',
  };
  payment: 'none' | 'open' | 'declined' | 'held' | 'captured' | 'released' = 'none';
  /** Id of the payment that was charged. */
  paymentId = '';
  #refund: 'none' | 'pending' | 'succeeded' | 'failed' = 'none';
  #dispute: 'accepted' | 'challenged' | null = null;
  #tokenIsGone = false;
  readonly #now: () => Date;
  readonly #answers = new Map<string, unknown>();
  #onDeath: () => void = () => {};

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Resolves when the next process dies. */
  nextDeath(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDeath = resolve;
    });
  }

  /** Holds the payment's money although the payment was declined. */
  holdUnasked(): void {
    this.payment = 'held';
  }

  /** The outcome that the processor reports for a hold for which it was not asked. */
  heldAfterAll(): SettledOutcome {
    return this.#settled('authorized');
  }

  async #call<O>(answer: () => O): Promise<O | NoAnswer> {
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'dropped') return noAnswer('unknown');
    if (fault === 'not_executed') return noAnswer('not_executed');
    if (fault === 'dies_before') return this.#die();
    const outcome = answer();
    if (fault === 'dies_after') return this.#die();
    return fault === 'lost' ? noAnswer('unknown') : outcome;
  }

  #die(): Promise<never> {
    this.#onDeath();
    return new Promise(() => {});
  }

  #idempotent<O>(key: string, carryOut: () => O): Promise<O | NoAnswer> {
    return this.#call(() => {
      const known = this.#answers.get(key) as O | undefined;
      const outcome = known ?? carryOut();
      this.#answers.set(key, outcome);
      return outcome;
    });
  }

  #charge(paymentId: string, isWithheld: boolean): ChargeOutcome {
    if (isWithheld) return { kind: 'not_carried_out', facts: idsOnly({}) };
    this.paymentId = paymentId;
    this.effects.push('charge');
    if (this.plan.charge !== 'requires_action') return this.#settle(this.plan.charge);
    this.payment = 'open';
    const facts = idsOnly({ order: 'ORDER' });
    return { kind: 'requires_action', action: 'processor_b_wallet', redirectUrl: link, facts };
  }

  #settle(kind: SettledOutcome['kind']): SettledOutcome {
    this.payment = { succeeded: 'captured', authorized: 'held', declined: 'declined' }[kind] as 'captured';
    return this.#settled(kind);
  }

  #settled(kind: SettledOutcome['kind']): SettledOutcome {
    if (kind === 'succeeded') return { kind, facts: idsOnly(ids) };
    if (kind === 'declined') return { kind, code: 'refused', facts: idsOnly({ order: 'ORDER' }) };
    const later = (days: number) => new Date(this.#now().getTime() + days * dayMs);
    const deadlines = { guaranteedUntil: later(3), expires: later(29) };
    return { kind, facts: idsOnly({ order: 'ORDER', authorization: 'HOLD' }), deadlines };
  }

  #release(): { kind: 'cancelled' | 'already_captured' } {
    if (this.payment === 'captured') return { kind: 'already_captured' };
    if (this.payment === 'open' || this.payment === 'held') {
      this.payment = 'released';
      this.effects.push('cancel');
    }
    return { kind: 'cancelled' };
  }

  #lookUp(): LookUpOutcome {
    switch (this.payment) {
      case 'none':
        return { kind: 'nothing' };
      case 'open':
        return { kind: 'open' };
      case 'released':
        return { kind: 'voided' };
      case 'declined':
      case 'held':
      case 'captured':
        return this.#settled(
          ({ declined: 'declined', held: 'authorized', captured: 'succeeded' } as const)[this.payment],
        );
    }
  }

  #refunded() {
    const failure = { code: 'refused', message: 'The bank refused it.' };
    return this.#refund === 'failed'
      ? ({ kind: 'failed', upstreamId: refundId, failure } as const)
      : ({ kind: this.#refund as 'succeeded', upstreamId: refundId } as const);
  }

  #answerDispute(key: string, to: 'accepted' | 'challenged') {
    return this.#idempotent(key, () => {
      if (this.plan.dispute === 'refused') return { kind: 'refused', message: 'Not now.' } as const;
      this.#dispute = to;
      this.effects.push(to);
      return { kind: 'done' } as const;
    });
  }

  #confirm() {
    const { confirm } = this.plan;
    if (confirm === 'not_approved') return { kind: confirm, redirectUrl: null } as const;
    this.effects.push('confirm');
    return this.#settle(confirm);
  }

  #capture() {
    const { capture: kind } = this.plan;
    if (kind === 'hold_gone') return { kind } as const;
    this.effects.push('capture');
    if (kind === 'declined') return { kind, code: 'refused', facts: idsOnly({}) } as const;
    this.payment = 'captured';
    return { kind, facts: idsOnly({ capture: 'CAPTURE' }) } as const;
  }

  #void() {
    const { void: kind } = this.plan;
    if (kind === 'already_captured') return { kind } as const;
    this.payment = 'released';
    this.effects.push('void');
    return { kind } as const;
  }

  port(name: Provider): ProcessorPort {
    const port: Partial<ProcessorPort> = {
      name,
      capabilities: capabilitiesOf(name),
      retryAfterSeconds: () => null,
      supportsAmount: () => true,
      canSave: () => true,
      unsentFields: () => [],
      charge: (_connection, { upstreamKey, paymentId, instrument }) =>
        this.#idempotent(upstreamKey, () => this.#charge(paymentId, instrument.kind === 'withheld')),
      confirm: (_connection, { upstreamKey }) => this.#idempotent(upstreamKey, () => this.#confirm()),
      capture: (_connection, { upstreamKey }) => this.#idempotent(upstreamKey, () => this.#capture()),
      void: (_connection, { upstreamKey }) => this.#idempotent(upstreamKey, () => this.#void()),
      cancel: (_connection, { upstreamKey }) =>
        this.#idempotent(upstreamKey, () => {
          const outcome = this.#release();
          // On processor_a only the notification says what was cancelled.
          return name === 'processor_a' ? ({ kind: 'accepted' } as const) : outcome;
        }),
      lookUp: () => this.#call(() => this.#lookUp()),
      refund: (_connection, { upstreamKey }) =>
        this.#idempotent(upstreamKey, () => {
          this.effects.push('refund');
          this.#refund = this.plan.refund;
          return this.#refunded();
        }),
      acceptDispute: (_connection, { upstreamKey }) => this.#answerDispute(upstreamKey, 'accepted'),
      defendDispute: (_connection, { upstreamKey }) => this.#answerDispute(upstreamKey, 'challenged'),
      removeInstrument: (_connection, { upstreamKey }) =>
        this.#idempotent(upstreamKey, () => {
          this.#tokenIsGone = true;
          this.effects.push('remove');
          return { kind: 'removed' } as const;
        }),
    };
    if (name === 'processor_b') port.lookUpRefund = () => this.#call(() => this.#refunded());
    return port as ProcessorPort;
  }

  /** Ends a pending refund. */
  endRefund(): void {
    if (this.#refund === 'pending') this.#refund = this.plan.refundEnd;
  }

  paymentUpdate(): NotificationEffect | null {
    if (this.payment === 'none') return null;
    const { order, authorization } = ids;
    const open: UpstreamIds = this.payment === 'held' ? { order, authorization } : { order };
    const payment = this.payment === 'captured' ? ids : open;
    return { kind: 'payment_changed', paymentId: this.paymentId, payment };
  }

  refundUpdate(id: string): NotificationEffect | null {
    const ended = this.#refunded();
    if (ended.kind !== 'succeeded' && ended.kind !== 'failed') return null;
    const outcome = ended.kind === 'failed' ? ended.failure : 'succeeded';
    const named = { refundId: id, upstreamId: refundId, paymentId: this.paymentId, payment: {} };
    return this.#refund === 'none' ? null : { kind: 'refund_settled', ...named, amount, currency, outcome };
  }

  disputeUpdate(facts: DisputeFacts): NotificationEffect | null {
    return this.#dispute && { kind: 'dispute', facts: { ...facts, status: this.#dispute } };
  }

  tokenUpdate(): NotificationEffect | null {
    return this.#tokenIsGone ? { kind: 'instrument_removed', token } : null;
  }
}
