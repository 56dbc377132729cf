import { Bulkhead } from '../../lib/waiting/bulkhead.ts';

/** How many streams a key, an account and a process may have open. Each stream queries the database twice a second. */
const maxPerKey = 10;
const maxPerAccount = 50;
const maxTotal = 500;

/**
 * Counts the open streams and limits them per key and per account, however many keys an account has. If this process has the
 * maximum, an account with fewer than an equal share of it may still open streams, so that no accounts can use up all.
 */
export class OpenStreams {
  readonly #ofKeys = new Bulkhead({ each: maxPerKey, all: Number.POSITIVE_INFINITY });
  readonly #ofAccounts = new Bulkhead({ each: maxPerAccount, all: maxTotal });

  /** @returns a function to call once the stream has ended; null if there are too many streams */
  enter({ accountId, keyId }: { readonly accountId: string; readonly keyId: string }): (() => void) | null {
    const leaveKey = this.#ofKeys.enter(keyId);
    if (leaveKey === null) return null;
    const leaveAccount = this.#ofAccounts.enter(accountId);
    if (leaveAccount === null) leaveKey();
    return (
      leaveAccount &&
      (() => {
        leaveKey();
        leaveAccount();
      })
    );
  }
}
