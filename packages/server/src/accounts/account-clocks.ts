import type { Clock } from '../lib/clock.ts';
import { readMerchantAccount } from '../lib/merchant-account.ts';
import type { Database } from '../store/database.ts';
import { accountFinder } from './store.ts';

/** Account time for components that know an account only by its id, such as the simulated processors. */
export class AccountClocks {
  readonly #find: ReturnType<typeof accountFinder>;
  readonly #clock: Clock;
  readonly #offsets = new Map<string, number>();

  constructor(db: Database, clock: Clock) {
    this.#find = accountFinder(db);
    this.#clock = clock;
  }

  /** Records an account's clock offset. Every authenticated request reports the current offset; one in live mode reports 0. */
  note(accountId: string, offsetMs: number): void {
    // Clocks only move forward, so a lower offset comes from live mode or is outdated.
    this.#offsets.set(accountId, Math.max(offsetMs, this.#offsets.get(accountId) ?? 0));
  }

  /** The time of a simulator's merchant account: account time in test mode, real time in live mode. */
  async now(merchantAccount: string): Promise<Date> {
    const { accountId, livemode } = readMerchantAccount(merchantAccount);
    const offset = livemode ? 0 : (this.#offsets.get(accountId) ?? (await this.#read(accountId)));
    return new Date(this.#clock.now().getTime() + offset);
  }

  /** Like `now`, but reads the offset anew, for a clock that the command line or another process may have moved. */
  async nowAnew(merchantAccount: string): Promise<Date> {
    const { accountId, livemode } = readMerchantAccount(merchantAccount);
    if (!livemode) this.note(accountId, await this.#read(accountId));
    return this.now(merchantAccount);
  }

  async #read(accountId: string): Promise<number> {
    return (await this.#find(accountId))?.clock_offset_ms ?? 0;
  }
}
