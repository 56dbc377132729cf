import type { CardTestingKind } from '@till/contract/dashboard';
import type { AccountContext } from '../accounts/context.ts';
import type { Clock } from '../lib/clock.ts';
import { Lines } from '../lib/waiting/lines.ts';
import { networkOf } from '../lib/web/network.ts';
import type { Queryable } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';
import {
  type Counted,
  type CountTimes,
  closeAttempt,
  countDecline,
  markPayment,
  openAttempt,
} from './store.ts';
import { fullOf, type Verdict, verdictOn, windowMs } from './verdict.ts';

export interface CardTestingDependencies {
  readonly db: Queryable;
  readonly vault: Pick<Vault, 'name'>;
  readonly clock: Clock;
  /** Reports an error that an operator has to look at. */
  readonly onFailure: (error: unknown, accountId: string) => void;
}

/** An attempt to pay on one of our pages. */
export interface Attempt {
  /** Null if the payment is only created by the attempt; it is marked once it exists (`mark`). */
  readonly paymentId: string | null;
  /** The address of the buyer's browser. */
  readonly address: string;
  /** Only digits; null if the processor's own fields take the card. */
  readonly cardNumber: string | null;
  /** The payment link that the buyer followed; null if there is none. */
  readonly linkId: string | null;
}

/** The outcome of sending a card to the processor. */
export interface Sent {
  readonly declined: boolean;
}

/** `opened`: the counts in which the attempt counts as open; empty if it was refused. */
interface Admitted {
  readonly verdict: Verdict;
  readonly opened: readonly Counted[];
}

/** The pause between two checks whether other attempts have ended, and the longest wait, which equals the longest delay. */
const pauseMs = 250;
const maxWaitMs = 8_000;

const startOfWindow = ({ now }: AccountContext) => new Date(now.getTime() - windowMs);

/**
 * Slows down and then refuses clients that test cards on the checkout pages. Each address, card or link is counted under a
 * keyed hash, HMAC-SHA-256 with a key of the account (PCI DSS 4.0.1, 3.5.1.1), which is removed once none of its declines counts.
 */
export class CardTesting {
  readonly #deps: CardTestingDependencies;
  /** Lines of attempts that wait for other attempts, one line per full count. */
  readonly #lines = new Lines();

  constructor(deps: CardTestingDependencies) {
    this.#deps = deps;
  }

  /**
   * Sends a buyer's card, at once, after a delay, or not at all. The attempt counts as open before the card is sent, so that
   * concurrent attempts never exceed what the limit leaves; those above it wait in a line. A wait holds neither a database
   * connection nor a place among the requests that are worked on.
   * @param send sends the card and returns whether the issuer declined it; its parameter is the verdict, for `mark`
   * @returns the result of `send`. If nothing was sent: `refused` after too many declines, or `full` if other attempts did not
   *   end in time
   */
  async attempt<T extends Sent>(
    context: AccountContext,
    attempt: Attempt,
    send: (verdict: Verdict) => Promise<T>,
  ): Promise<T | 'refused' | 'full'> {
    const counted = await this.#namesOf(context, attempt);
    const admitted = await this.#admit(context, counted);
    if (admitted === 'full') return admitted;
    const { verdict, opened } = admitted;
    let declined = false;
    try {
      if (attempt.paymentId !== null) await this.mark(context, attempt.paymentId, verdict);
      if (verdict.effect === 'refused') return 'refused';
      if (verdict.effect === 'slowed') await this.#wait(context, verdict.delayMs);
      const sent = await send(verdict);
      declined = sent.declined;
      return sent;
    } finally {
      await this.#end(context, declined ? counted : opened, declined);
    }
  }

  /** Counts the outcome. The card was sent, so a failure to count is only reported; an attempt that stays open expires. */
  async #end(context: AccountContext, counted: readonly Counted[], declined: boolean): Promise<void> {
    const { db, onFailure } = this.#deps;
    try {
      if (declined) await countDecline(db, context, counted, this.#timesOf(context), 1);
      else if (counted.length > 0) await closeAttempt(db, context, counted);
    } catch (error) {
      onFailure(error, context.accountId);
    }
  }

  /** Counts an attempt as open, unless it is refused. */
  async #admit(context: AccountContext, counted: readonly Counted[]): Promise<Admitted | 'full'> {
    const { clock } = this.#deps;
    const admitted = await this.#tryOnce(context, counted);
    if (!('full' in admitted)) return admitted;
    const until = clock.elapsed() + maxWaitMs;
    const name = counted.find(({ kind }) => kind === admitted.full)?.name.toString('hex') ?? '';
    // Only the first in a line retries, because many retries would fill the very counts that they wait for.
    return context.suspend(() =>
      this.#lines.queued(`${context.tenant} ${name}`, async () => {
        while (clock.elapsed() < until) {
          const again = await this.#tryOnce(context, counted);
          if (!('full' in again)) return again;
          await clock.delay(pauseMs);
        }
        return 'full';
      }),
    );
  }

  /** @returns `full` with the kind of count that open attempts keep above its limit; then the attempt does not stay counted */
  async #tryOnce(
    context: AccountContext,
    counted: readonly Counted[],
  ): Promise<Admitted | { readonly full: CardTestingKind }> {
    const { db } = this.#deps;
    const { limits, declines, open } = await openAttempt(db, context, counted, this.#timesOf(context));
    const verdict = verdictOn(limits, declines);
    const full = fullOf(limits, declines, open);
    const opened = counted.filter(({ kind }) => open[kind] !== 0);
    if (full === null && verdict.effect !== 'refused') return { verdict, opened };
    await closeAttempt(db, context, opened);
    return verdict.effect === 'refused' || full === null ? { verdict, opened: [] } : { full };
  }

  #wait(context: AccountContext, ms: number): Promise<void> {
    return context.suspend(() => this.#deps.clock.delay(ms));
  }

  #timesOf(context: AccountContext): CountTimes {
    return { now: context.now, since: startOfWindow(context), real: this.#deps.clock.now() };
  }

  /** Stores with a payment that an attempt to pay it was slowed down or refused. */
  async mark(context: AccountContext, paymentId: string, verdict: Verdict): Promise<void> {
    if (verdict.effect === 'none') return;
    const { effect, because } = verdict;
    await markPayment(this.#deps.db, context, { paymentId, effect, because, at: context.now });
  }

  /** Counts a decline that came after its attempt had ended, because the issuer challenged the buyer first. */
  async declined(context: AccountContext, attempt: Attempt): Promise<void> {
    const counted = await this.#namesOf(context, attempt);
    await countDecline(this.#deps.db, context, counted, this.#timesOf(context), 0);
  }

  async #namesOf({ accountId }: AccountContext, attempt: Attempt): Promise<Counted[]> {
    const { address, cardNumber, linkId } = attempt;
    const name = (text: string) => this.#deps.vault.name(accountId, `card testing ${text}`);
    return [
      { kind: 'account', name: await name('account') },
      { kind: 'address', name: await name(`address ${networkOf(address)}`) },
      ...(cardNumber === null ? [] : [{ kind: 'card', name: await name(`card ${cardNumber}`) } as const]),
      ...(linkId === null ? [] : [{ kind: 'link', name: await name(`link ${linkId}`) } as const]),
    ];
  }
}
