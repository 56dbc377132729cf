import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CancelOutcome, ChargeOutcome } from '../processors/port/port.ts';
import { applyPaymentUpdate, type PaymentUpdate } from './notifications/apply-notification.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

const runs = 60;
const stepSeconds = 3;
const maxSeconds = 3600;

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

/** Random numbers from 0 to 1 that depend only on the seed (Numerical Recipes' linear congruential generator). */
function drawing(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

interface Charge {
  readonly psp: string;
  state: 'authorised' | 'captured' | 'cancelled';
}

/**
 * A processor without look-ups. Answers get lost, it captures and cancels some time after the request, and sends its
 * notifications later still.
 */
class SlowProcessor {
  readonly charges = new Map<string, Charge>();
  readonly #draw: () => number;
  readonly #captureSeconds: number;
  #plans: { readonly at: number; readonly run: () => void }[] = [];
  #update: { readonly at: number; readonly update: PaymentUpdate }[] = [];
  /** Seconds since the start. */
  now = 0;

  constructor(draw: () => number) {
    this.#draw = draw;
    this.#captureSeconds = draw() < 0.5 ? 0 : draw() * 200;
  }

  charge(key: string): ChargeOutcome {
    const known = this.charges.get(key);
    if (known !== undefined) return this.#draw() < 0.3 ? noAnswer : chargedAs(known.psp);
    if (this.#draw() < 0.35) return noAnswer;
    const charge: Charge = { psp: `PSP${this.charges.size + 1}`, state: 'authorised' };
    this.charges.set(key, charge);
    this.#plan(this.#captureSeconds, () => {
      if (charge.state === 'authorised') charge.state = 'captured';
    });
    const delay = this.#draw() < 0.5 ? 5 : this.#draw() * 300;
    this.#report(delay, { kind: 'settled', outcome: chargedAs(charge.psp), amount: 4990, currency: 'EUR' });
    return this.#draw() < 0.7 ? noAnswer : chargedAs(charge.psp);
  }

  /** The processor's own reference cancels a charge in any state; our reference only a charge that is not captured. */
  cancel(psp: string | undefined): CancelOutcome {
    if (this.#draw() < 0.15) return { ...noAnswer, kind: 'not_executed' };
    this.#plan(this.#draw() * 20, () => {
      const named = [...this.charges.values()].filter((charge) => psp === undefined || charge.psp === psp);
      const isTooLate = psp === undefined && named.some(({ state }) => state === 'captured');
      if (!isTooLate) {
        for (const charge of named) charge.state = 'cancelled';
      }
      this.#report(this.#draw() * 60, { kind: isTooLate ? 'not_cancelled' : 'cancelled' });
    });
    return this.#draw() < 0.2 ? noAnswer : { kind: 'accepted' };
  }

  /** Lets time pass. @returns the notifications that are due by now */
  advance(seconds: number): PaymentUpdate[] {
    this.now += seconds;
    const due = this.#plans.filter(({ at }) => at <= this.now);
    this.#plans = this.#plans.filter(({ at }) => at > this.now);
    for (const { run } of due) run();
    const sent = this.#update.filter(({ at }) => at <= this.now);
    this.#update = this.#update.filter(({ at }) => at > this.now);
    return sent.map(({ update }) => update);
  }

  /** Sends a notification again, because it could not be applied. */
  resend(update: PaymentUpdate): void {
    this.#report(5, update);
  }

  get isQuiet(): boolean {
    return this.#plans.length + this.#update.length === 0;
  }

  #plan(seconds: number, run: () => void): void {
    this.#plans.push({ at: this.now + seconds, run });
  }

  #report(seconds: number, update: PaymentUpdate): void {
    this.#update.push({ at: this.now + seconds, update });
  }
}

/** Runs one payment from its request to its end. The client retries for a while. */
async function live(shop: Shop, upstream: SlowProcessor, draw: () => number) {
  const retryUntil = draw() < 0.3 ? 0 : draw() * 600;
  const retryEvery = 2 + draw() * 60;
  await shop.pay('k');
  const { id } = await shop.paymentOf('k');
  let retryAt = retryEvery;
  while (upstream.now < maxSeconds) {
    kit.clock.move(stepSeconds * 1000);
    for (const update of upstream.advance(stepSeconds)) {
      const applied = await applyPaymentUpdate(kit.payments, shop.context(), id, update);
      if (applied === 'later') upstream.resend(update);
    }
    if (upstream.now < retryUntil && upstream.now >= retryAt) {
      retryAt += retryEvery;
      await shop.pay('k');
    }
    const looked = await recoverPayments(kit.payments);
    const isOver = (await shop.paymentOf('k')).status !== 'processing';
    if (isOver && looked === 0 && upstream.isQuiet && upstream.now > retryUntil) break;
  }
  return shop.paymentOf('k');
}

describe('a payment whose answers are lost', () => {
  it.each(Array.from({ length: runs }, (_none, n) => n + 1))(
    'ends as the processor’s ledger says, with one event: %i',
    async (seed) => {
      const draw = drawing(seed);
      const shop = await Shop.open(kit);
      const upstream = new SlowProcessor(draw);
      kit.processor.answers = {
        charge: async (_connection, { upstreamKey }) => upstream.charge(upstreamKey),
        // A cancellation for another account was left to recovery by an earlier run.
        cancel: async ({ accountId }, request) =>
          accountId === shop.context().accountId
            ? upstream.cancel(request.upstream.psp)
            : { kind: 'accepted' },
      };
      const { id, status } = await live(shop, upstream, draw);
      const kept = [...upstream.charges.values()].filter(({ state }) => state !== 'cancelled');
      expect({ status, kept: kept.length }).toEqual(
        status === 'succeeded' ? { status, kept: 1 } : { status: 'failed', kept: 0 },
      );
      expect(await shop.eventsOf(id)).toEqual([`payment.${status}`]);
    },
  );
});
