import { DashboardError } from '@till/contract/dashboard';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/keys.ts';
import { networkOf } from '../lib/network.ts';
import type { Database, Queryable } from '../store/database.ts';
import { foldEmail } from './users.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** After a day without a failure it begins anew. */
const forgetMs = 24 * 60 * minuteMs;

/** So many failures are free; each further one doubles the pause after it, up to a limit. */
interface Limit {
  readonly name: string;
  readonly free: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/**
 * Guesses from one address are slowed down most. Those for one person from everywhere less, so that a stranger cannot
 * lock somebody out; and those from one address for many persons later, since an office shares one.
 */
function limitsFor(email: string, ip: string): Limit[] {
  const folded = foldEmail(email);
  const network = networkOf(ip);
  return [
    { name: `both ${folded} ${network}`, free: 5, firstPauseMs: secondMs, longestPauseMs: 15 * minuteMs },
    { name: `email ${folded}`, free: 20, firstPauseMs: 2 * secondMs, longestPauseMs: minuteMs },
    { name: `ip ${network}`, free: 50, firstPauseMs: secondMs, longestPauseMs: 5 * minuteMs },
  ];
}

/** An attempt that was let through. It counts as a failure until it is said otherwise. */
export interface Attempt {
  /** Everything was right: what was counted for this person is forgotten. */
  readonly succeeded: () => Promise<void>;
  /** It was no guess: the password is right, and a code is still to come. */
  readonly undone: () => Promise<void>;
}

/**
 * Lets an attempt to sign in through, or not. The failure is counted before anything is compared, so that any number of
 * attempts at once are counted one by one.
 * @throws DashboardError `too_many_attempts` with the time to wait; such an attempt is not counted
 */
export async function beginAttempt(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  email: string,
  ip: string,
): Promise<Attempt> {
  const now = clock.now();
  const limits = limitsFor(email, ip).map((limit) => ({ ...limit, hash: sha256(limit.name) }));
  // Always in the same order, so that attempts at once wait for each other instead of for ever.
  const sorted = limits.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
  let blocked = false;
  await db
    .transaction(async (tx) => {
      for (const limit of sorted) {
        if (await countFailure(tx, limit, now)) continue;
        blocked = true;
        throw new Error('blocked: nothing of this attempt is counted');
      }
    })
    .catch(async (error: unknown) => {
      throw blocked ? await refusal(db, sorted, now) : error;
    });
  const [both, person, address] = limits.map(({ hash }) => hash);
  return {
    async succeeded() {
      for (const name of [both, person]) {
        await db.query({ text: 'delete from sign_in_throttles where name = $1', values: [name] });
      }
      await takeBack(db, [address]);
    },
    undone: () => takeBack(db, [both, person, address]),
  };
}

/** @returns false where the pause after the failures before is not over */
async function countFailure(
  tx: Queryable,
  { hash, free, firstPauseMs, longestPauseMs }: Limit & { hash: Buffer },
  now: Date,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'count_sign_in_failure',
    text: `insert into sign_in_throttles as t (name, failures, last_failure_at, blocked_until)
           values ($1, 1, $2, $2)
           on conflict (name) do update set
             failures = case when t.last_failure_at < $3 then 1 else t.failures + 1 end,
             last_failure_at = $2,
             blocked_until = case when t.last_failure_at < $3 or t.failures + 1 < $4::int then $2::timestamptz
               else $2::timestamptz + least($6::float8, $5::float8 * power(2, least(t.failures + 1 - $4::int, 30))) * interval '1 millisecond'
             end
           where t.blocked_until <= $2
           returning failures`,
    values: [hash, now, new Date(now.getTime() - forgetMs), free, firstPauseMs, longestPauseMs],
  });
  return rows.length === 1;
}

async function refusal(
  db: Queryable,
  limits: readonly { readonly hash: Buffer }[],
  now: Date,
): Promise<DashboardError> {
  const [row] = await db.query<{ until: Date | null }>({
    text: 'select max(blocked_until) as until from sign_in_throttles where name = any($1::bytea[])',
    values: [limits.map(({ hash }) => hash)],
  });
  const seconds = Math.max(1, Math.ceil(((row?.until ?? now).getTime() - now.getTime()) / secondMs));
  const words = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new DashboardError(
    'too_many_attempts',
    `Too many attempts to sign in. Wait ${words} and try again.`,
    {
      retryAfterSeconds: seconds,
    },
  );
}

/** One by one: a statement on several rows could wait for an attempt that waits for it. */
async function takeBack(db: Queryable, names: readonly (Buffer | undefined)[]): Promise<void> {
  for (const name of names) {
    await db.query({
      text: `update sign_in_throttles set failures = greatest(failures - 1, 0), blocked_until = last_failure_at
             where name = $1`,
      values: [name],
    });
  }
}

/** Deletes what is forgotten anyway. */
export async function removeOldThrottles(db: Queryable, now: Date): Promise<void> {
  await db.query({
    text: 'delete from sign_in_throttles where last_failure_at < $1 and blocked_until <= $2',
    values: [new Date(now.getTime() - forgetMs), now],
  });
}
