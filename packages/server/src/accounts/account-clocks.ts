import type { Clock } from '../lib/clock.ts';
import { readMerchantAccount } from '../lib/merchant-account.ts';
import type { Database } from '../store/database.ts';
import { accountFinder } from './store.ts';

/** Account time for parts that know an account only by its id, such as the simulated processors. */
export class AccountClocks {
  readonly #find: ReturnType<typeof accountFinder>;
  readonly #clock: Clock;
  readonly #offsets = new Map<string, number>();

  constructor(db: Database, clock: Clock) {
    this.#find = accountFinder(db);
    this.#clock = clock;
  }

  /** Every authenticated request brings the account's present offset with it; a live one brings none. */
  note(accountId: string, offsetMs: number): void {
    // Clocks only move forward: a lower offset is of live mode, or older than what is known.
    this.#offsets.set(accountId, Math.max(offsetMs, this.#offsets.get(accountId) ?? 0));
  }

  /** The time of a merchant account at a simulator: the account's own in test mode, real time in live mode. */
  async now(merchantAccount: string): Promise<Date> {
    const { accountId, livemode } = readMerchantAccount(merchantAccount);
    const offset = livemode ? 0 : (this.#offsets.get(accountId) ?? (await this.#read(accountId)));
    return new Date(this.#clock.now().getTime() + offset);
  }

  /** The same where no request may have brought the offset yet: the command line or another process moved the clock. */
  async nowAnew(merchantAccount: string): Promise<Date> {
    const { accountId, livemode } = readMerchantAccount(merchantAccount);
    if (!livemode) this.note(accountId, await this.#read(accountId));
    return this.now(merchantAccount);
  }

  async #read(accountId: string): Promise<number> {
    return (await this.#find(accountId))?.clock_offset_ms ?? 0;
  }
}
