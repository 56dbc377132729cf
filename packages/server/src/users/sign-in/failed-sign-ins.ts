import { insertPersonalEntries, personalEntry } from '../audit/audit.ts';
import type { PeopleDependencies } from '../people/dependencies.ts';
import type { Attempt } from './throttle.ts';

/** The first five failures, and then 10, 20, 50, 100, 200 and so on, are logged, so that further guesses do not flood the log. */
const isLogged = (failures: number) => failures <= 5 || /^[125]0+$/.test(String(failures));

/**
 * Writes a failed sign-in into the log of each account of the person whose address was tried, with the time that further
 * attempts have to wait. Who made the attempt is not known. If nobody has the address, the same statement runs and is
 * committed, so that the response time reveals nothing.
 * @param reason `code` means that the password was right
 */
export async function noteFailedSignIn(
  deps: PeopleDependencies,
  attempt: Pick<Attempt, 'person' | 'failures' | 'pauseSeconds'>,
  user: { readonly id: string; readonly email: string } | undefined,
  { ip, reason }: { readonly ip: string; readonly reason: 'password' | 'code' },
): Promise<void> {
  const { person, failures, pauseSeconds } = attempt;
  if (!isLogged(failures)) return;
  const action = pauseSeconds > 0 ? 'sign_in.locked' : 'sign_in.failed';
  const after = { reason, failures, ...(pauseSeconds > 0 ? { locked_seconds: pauseSeconds } : {}) };
  await deps.db.query({
    name: 'note_failed_sign_in',
    scope: 'everybody',
    // The update changes nothing, but it makes the commit wait for the disk whether or not the person exists.
    text: `with counted as (update sign_in_throttles set counted_since = counted_since where name = $2)
           ${insertPersonalEntries}`,
    values: [personalEntry(deps, user, { action, after, ip }), person],
  });
}
