import { nextEntry } from '../audit/audit.ts';
import type { PeopleDependencies } from '../people/dependencies.ts';
import type { Attempt } from './throttle.ts';

/** The first ones, and then 10, 20, 50, 100, 200 and so on: further guesses fill no log. */
const isTold = (failures: number) => failures <= 5 || /^[125]0+$/.test(String(failures));

/**
 * Writes that somebody could not sign in, into the log of each account of the person whose address was tried, and how
 * long further attempts have to wait. Who tried is not known. For an address that nobody has the same statement runs and
 * is committed, so that the time it takes reveals nothing.
 * @param reason `code`: the password was right
 */
export async function noteFailedSignIn(
  deps: PeopleDependencies,
  attempt: Pick<Attempt, 'person' | 'failures' | 'pauseSeconds'>,
  user: { readonly id: string; readonly email: string } | undefined,
  { ip, reason }: { readonly ip: string; readonly reason: 'password' | 'code' },
): Promise<void> {
  const { person, failures, pauseSeconds } = attempt;
  if (!isTold(failures)) return;
  const { id, at } = nextEntry(deps);
  const action = pauseSeconds > 0 ? 'sign_in.locked' : 'sign_in.failed';
  const after = { reason, failures, ...(pauseSeconds > 0 ? { locked_seconds: pauseSeconds } : {}) };
  await deps.db.query({
    name: 'note_failed_sign_in',
    scope: 'everybody',
    // The update changes nothing, but makes the commit wait for the disk whether or not there is a person.
    text: `with counted as (update sign_in_throttles set last_failure_at = last_failure_at where name = $1)
           insert into audit_log (account_id, id, tenant, actor_type, user_id, email, action, object_id, after, ip,
             created_at)
           select m.account_id, $3, t.tenant, 'user', m.user_id, $4, $5, m.user_id, $6, $7, $8
           from memberships m join accounts a using (account_id)
           join tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')
           where m.user_id = $2`,
    values: [person, user?.id ?? '', id, user?.email ?? '', action, JSON.stringify(after), ip, at],
  });
}
