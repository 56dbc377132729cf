import type { AccountClocks } from '../accounts/account-clocks.ts';
import { periodically } from '../jobs/periodic.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { Authenticator } from './authenticate.ts';
import { KeyUse } from './key-use.ts';

const keyUseMs = 5_000;

/** Authenticates API keys, and records the account's clock and the use of the key. */
export function createAuthentication(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  clocks: AccountClocks,
  keyUse: KeyUse,
): Authenticator['authenticate'] {
  const authenticator = new Authenticator(db, clock.now);
  return async (key, options) => {
    const authenticated = await authenticator.authenticate(key, options);
    const { caller } = authenticated;
    keyUse.note(caller);
    clocks.note(caller.accountId, caller.now.getTime() - clock.now().getTime());
    return authenticated;
  };
}

/** Creates the recorder of key uses, which writes outside of the hot path. */
export function createKeyUse({
  db,
  clock,
  onIncident,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly onIncident: (error: unknown) => void;
}) {
  const keyUse = new KeyUse(db, clock.now);
  return {
    keyUse,
    /** Starts the periodic writes. @returns a function that stops them and resolves once all recorded uses are written */
    start: (): (() => Promise<void>) => {
      const stop = periodically(clock, keyUseMs, () => keyUse.write(), onIncident);
      return async () => {
        await stop();
        await keyUse.write().catch(onIncident);
      };
    },
  };
}
