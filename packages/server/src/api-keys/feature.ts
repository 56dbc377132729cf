import type { AccountClocks } from '../accounts/account-clocks.ts';
import { periodically } from '../jobs/periodic.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { Authenticator } from './authenticate.ts';
import { KeyUse } from './key-use.ts';

const keyUseMs = 5_000;

/** Finds the account of an API key, notes its clock and that the key was used. */
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

/** When keys were used, written beside the hot path. */
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
    /** Begins to write. @returns stops it; resolves once everything that was noted is written */
    start: (): (() => Promise<void>) => {
      const stop = periodically(clock, keyUseMs, () => keyUse.write(), onIncident);
      return async () => {
        await stop();
        await keyUse.write().catch(onIncident);
      };
    },
  };
}
