import type { AccountContext } from '../accounts/context.ts';
import type { Clock } from '../lib/clock.ts';
import { networkOf } from '../lib/web/network.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';
import { type Counted, countDecline, markPayment, readCounts } from './store.ts';
import { type Verdict, verdictOn, windowMs } from './verdict.ts';

export interface CardTestingDependencies {
  readonly db: Database;
  readonly vault: Pick<Vault, 'name'>;
  readonly clock: Clock;
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

const startOfWindow = ({ now }: AccountContext) => new Date(now.getTime() - windowMs);

/**
 * Slows down and then refuses anyone who tries cards on the checkout pages. Address, card and link are counted under a keyed hash,
 * HMAC-SHA-256 with a key of the account (PCI DSS 4.0.1, 3.5.1.1), which is removed once no decline of it counts any more.
 */
export class CardTesting {
  readonly #deps: CardTestingDependencies;

  constructor(deps: CardTestingDependencies) {
    this.#deps = deps;
  }

  /**
   * Lets an attempt through, at once or after a delay, or not. It is asked before a card is sent, by one statement, and
   * holds neither a connection nor a place among the requests that are worked on during the delay.
   * @returns what became of it; `refused`: its card must not be sent
   */
  async admit(context: AccountContext, attempt: Attempt): Promise<Verdict> {
    const { db, clock } = this.#deps;
    const counted = await this.#namesOf(context, attempt);
    const { limits, declines } = await readCounts(db, context, counted, startOfWindow(context));
    const verdict = verdictOn(limits, declines);
    if (attempt.paymentId !== null) await this.mark(context, attempt.paymentId, verdict);
    if (verdict.effect === 'slowed') await context.suspend(() => clock.delay(verdict.delayMs));
    return verdict;
  }

  /** Keeps with a payment what became of an attempt at it. */
  async mark(context: AccountContext, paymentId: string, verdict: Verdict): Promise<void> {
    if (verdict.effect === 'none') return;
    const { effect, because } = verdict;
    await markPayment(this.#deps.db, context, { paymentId, effect, because, at: context.now });
  }

  /** Counts an attempt whose card was declined. */
  async declined(context: AccountContext, attempt: Attempt): Promise<void> {
    const { db, clock } = this.#deps;
    await countDecline(db, context, await this.#namesOf(context, attempt), {
      now: context.now,
      since: startOfWindow(context),
      real: clock.now(),
    });
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
