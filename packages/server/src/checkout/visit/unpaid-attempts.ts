import type { AccountContext } from '../../accounts/context.ts';
import { networkOf } from '../../lib/web/network.ts';
import type { LinkStore } from '../../payment-links/store.ts';
import { countPaid } from '../../payments/reads.ts';
import type { Queryable } from '../../store/database.ts';
import type { Vault } from '../../vault/vault.ts';

/** How many payments without a typed card one network may begin with one link within an hour and not pay. */
const maxUnpaid = 20;
const windowMs = 3_600_000;

/**
 * Limits how many payments one client begins with a link and leaves unpaid. Each takes a place of the link and an order at
 * the processor, and none is declined, so card testing does not count them. Paid ones do not count, since many buyers may
 * share a network.
 */
export class UnpaidAttempts {
  readonly #db: Queryable;
  readonly #vault: Pick<Vault, 'name'>;
  readonly #links: Pick<LinkStore, 'attemptsOfNetwork'>;
  /**
   * Attempts that are being begun in this process, by link and network: concurrent ones do not see each other in the database.
   */
  readonly #beginning = new Map<string, number>();

  constructor(db: Queryable, vault: Pick<Vault, 'name'>, links: Pick<LinkStore, 'attemptsOfNetwork'>) {
    this.#db = db;
    this.#vault = vault;
    this.#links = links;
  }

  /**
   * @param address of the buyer's browser
   * @param begin begins the payment and stores the keyed hash of the network with it; calls `onBegun` once that is stored
   * @returns what `begin` returned, or `too_often` if it was not called
   */
  async attempt<T>(
    context: AccountContext,
    linkId: string,
    address: string,
    begin: (network: Buffer, onBegun: () => void) => Promise<T>,
  ): Promise<T | 'too_often'> {
    const network = await this.#vault.name(context.accountId, `payment link network ${networkOf(address)}`);
    const key = `${linkId} ${network.toString('hex')}`;
    const leave = this.#enter(key);
    try {
      const beginning = this.#beginning.get(key) ?? 0;
      if (beginning + (await this.#countUnpaid(context, linkId, network)) > maxUnpaid) return 'too_often';
      return await begin(network, leave);
    } finally {
      leave();
    }
  }

  /** @returns a function that removes the entry again, once */
  #enter(key: string): () => void {
    let isIn = true;
    this.#beginning.set(key, (this.#beginning.get(key) ?? 0) + 1);
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.#beginning.get(key) ?? 1) - 1;
      if (left === 0) this.#beginning.delete(key);
      else this.#beginning.set(key, left);
    };
  }

  async #countUnpaid(context: AccountContext, linkId: string, network: Buffer): Promise<number> {
    const since = new Date(context.now.getTime() - windowMs);
    const begun = await this.#links.attemptsOfNetwork(context, linkId, network, since);
    return begun.length < maxUnpaid
      ? begun.length
      : begun.length - (await countPaid(this.#db, context, begun));
  }
}
