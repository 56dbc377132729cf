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
  /** Reports what somebody has to look at. */
  readonly onFailure: (error: unknown, accountId: string) => void;
}

/** Who tries to pay on a page of ours. */
export interface Attempt {
  /** Null: the payment begins with the attempt, and is marked once it is there (`mark`). */
  readonly paymentId: string | null;
  /** Of the buyer's browser. */
  readonly address: string;
  /** Digits alone; null where the processor's own fields take the card. */
  readonly cardNumber: string | null;
  /** The payment link that the buyer came by; null where there is none. */
  readonly linkId: string | null;
}

/** What became of a card that was sent. */
export interface Sent {
  readonly declined: boolean;
}

/** `opened`: what an attempt is counted as open by; of a refused one nothing. */
interface Admitted {
  readonly verdict: Verdict;
  readonly opened: readonly Counted[];
}

/** Between two looks whether attempts have ended, and how long an attempt looks; as long as the longest delay. */
const pauseMs = 250;
const maxWaitMs = 8_000;

const startOfWindow = ({ now }: AccountContext) => new Date(now.getTime() - windowMs);

/**
 * Slows down and then refuses anyone who tries cards on the checkout pages. Address, card and link are counted under a keyed hash,
 * HMAC-SHA-256 with a key of the account (PCI DSS 4.0.1, 3.5.1.1), which is removed once no decline of it counts any more.
 */
export class CardTesting {
  readonly #deps: CardTestingDependencies;
  /** Of those who wait for the attempts of others, by what these are counted by. */
  readonly #lines = new Lines();

  constructor(deps: CardTestingDependencies) {
    this.#deps = deps;
  }

  /**
   * Sends a buyer's card, at once or after a delay, or not. Before it is sent the attempt is counted as open, so that attempts
   * at the same moment are never more than the limit leaves; those above it wait in a line. Neither a connection nor a place
   * among the requests that are worked on is held during a wait.
   * @param send sends the card, and says whether the issuer declined it; the verdict is for `mark`
   * @returns what `send` said. Nothing was sent: `refused` after too many declines, `full` where attempts of others did not end
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

  /** The card was sent: what it came to is answered, whether that can be counted or not. What stays open lapses. */
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
    // Only the first of a line asks again: many who ask would fill the counts that they wait for.
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

  /** @returns `full`: the count that open attempts keep above its limit; then nothing is counted */
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

  /** Keeps with a payment what became of an attempt at it. */
  async mark(context: AccountContext, paymentId: string, verdict: Verdict): Promise<void> {
    if (verdict.effect === 'none') return;
    const { effect, because } = verdict;
    await markPayment(this.#deps.db, context, { paymentId, effect, because, at: context.now });
  }

  /** Counts a card that was declined after its attempt had ended, where its bank asked the buyer first. */
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
