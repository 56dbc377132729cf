import { DashboardError } from '@till/contract/dashboard';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/keys.ts';
import { networkOf, siteOf } from '../../lib/web/network.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { foldEmail } from '../people/users.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** Counting starts over a day after the first failure, so that the typing errors of an office do not add up over months. */
const countedMs = 24 * 60 * minuteMs;

/** How long a network counts as one from which the person signs in. */
const knownMs = 90 * 24 * 60 * minuteMs;

/** A number of failures is free. Each further failure doubles the pause after it, up to a maximum. */
interface Limit {
  /** SHA-256 of the name under which failures are counted. */
  readonly hash: Buffer;
  readonly free: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

/**
 * Three limits slow down guessing. The strictest is for guesses from one address for one person. Guesses for one person
 * from everywhere are slowed down less, and not at all from a network where that person signed in before, so that strangers
 * cannot lock a person out; a /48 of IPv6 counts as one network here. Guesses from one address for many persons are slowed
 * down later, since an office shares one address.
 */
function limitsFor(email: string, ip: string): readonly [both: Limit, person: Limit, address: Limit] {
  const folded = foldEmail(email);
  const network = networkOf(ip);
  return [
    {
      hash: sha256(`both ${folded} ${siteOf(ip)}`),
      free: 5,
      firstPauseMs: secondMs,
      maxPauseMs: 15 * minuteMs,
    },
    { hash: sha256(`email ${folded}`), free: 20, firstPauseMs: 2 * secondMs, maxPauseMs: minuteMs },
    { hash: sha256(`ip ${network}`), free: 50, firstPauseMs: secondMs, maxPauseMs: 5 * minuteMs },
  ];
}

const knownName = (email: string, ip: string) => sha256(`known ${foldEmail(email)} ${siteOf(ip)}`);

/** Whether this person has signed in from this network. If so, guesses from elsewhere do not count against attempts from it. */
async function isKnownSite(db: Queryable, email: string, ip: string, now: Date): Promise<boolean> {
  const rows = await db.query({
    name: 'find_known_site',
    text: 'select 1 from known_sites where name = $1 and seen_at > $2',
    values: [knownName(email, ip), new Date(now.getTime() - knownMs)],
    scope: 'nobody',
  });
  return rows.length > 0;
}

async function noteSite(db: Queryable, email: string, ip: string, now: Date): Promise<void> {
  await db.query({
    name: 'note_known_site',
    text: `insert into known_sites (name, seen_at) values ($1, $2)
           on conflict (name) do update set seen_at = greatest(known_sites.seen_at, excluded.seen_at)`,
    values: [knownName(email, ip), now],
    scope: 'nobody',
  });
}

/** An attempt that was admitted. It counts as a failure until `succeeded` or `undone` is called. */
export interface Attempt {
  /** The name under which this person's failures from everywhere are counted. */
  readonly person: Buffer;
  /** The number of failures, including this attempt. */
  readonly failures: number;
  /** How long the next attempt for this person from this address has to wait if this one fails. */
  readonly pauseSeconds: number;
  /** Called if all credentials are right. Deletes the failures counted for this person. */
  readonly succeeded: () => Promise<void>;
  /** Called if the attempt was no guess: for example, the password is right and a code is still missing. */
  readonly undone: () => Promise<void>;
}

/**
 * Admits an attempt to sign in, or refuses it. The failure is counted before anything is compared, so that concurrent
 * attempts are counted one by one.
 * @throws DashboardError `too_many_attempts` with the time to wait; a refused attempt is not counted
 */
export async function beginAttempt(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  email: string,
  ip: string,
): Promise<Attempt> {
  const now = clock.now();
  const [both, person, address] = limitsFor(email, ip);
  const ofPerson = (await isKnownSite(db, email, ip, now)) ? [both] : [both, person];
  const limits = [...ofPerson, address];
  // Always in the same order, so that concurrent attempts wait for each other and cannot deadlock.
  const sorted = limits.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
  const counted = new Map<Buffer, Counted>();
  let blocked = false;
  await db
    .transaction(async (tx) => {
      for (const limit of sorted) {
        const count = await countFailure(tx, limit, now);
        if (count !== undefined) {
          counted.set(limit.hash, count);
          continue;
        }
        blocked = true;
        throw new Error('blocked: nothing of this attempt is counted');
      }
    })
    .catch(async (error: unknown) => {
      throw blocked ? await refusal(db, sorted, now) : error;
    });
  const until = Math.max(...ofPerson.map(({ hash }) => counted.get(hash)?.blocked_until.getTime() ?? 0));
  return {
    person: person.hash,
    failures: Math.max(...ofPerson.map(({ hash }) => counted.get(hash)?.failures ?? 0)),
    pauseSeconds: Math.max(0, Math.ceil((until - now.getTime()) / secondMs)),
    async succeeded() {
      for (const { hash } of ofPerson) {
        await db.query({
          text: 'delete from sign_in_throttles where name = $1',
          values: [hash],
          scope: 'nobody',
        });
      }
      await takeBack(db, [address]);
      await noteSite(db, email, ip, now);
    },
    undone: () => takeBack(db, limits),
  };
}

/**
 * Earlier than any attempt. Of two attempts at the same moment the later one may be counted first, and must not block
 * the other.
 */
const noPause = 'to_timestamp(0)';

interface Counted {
  readonly failures: number;
  readonly blocked_until: Date;
}

/** @returns undefined if the pause after earlier failures is not over */
async function countFailure(
  tx: Queryable,
  { hash, free, firstPauseMs, maxPauseMs }: Limit,
  now: Date,
): Promise<Counted | undefined> {
  const [row] = await tx.query<Counted>({
    name: 'count_sign_in_failure',
    text: `insert into sign_in_throttles as t (name, failures, counted_since, blocked_until)
           values ($1, 1, $2, ${noPause})
           on conflict (name) do update set
             failures = case when t.counted_since < $3 then 1 else t.failures + 1 end,
             counted_since = case when t.counted_since < $3 then $2 else t.counted_since end,
             blocked_until = case when t.counted_since < $3 or t.failures + 1 < $4::int then ${noPause}
               else $2::timestamptz + least($6::float8, $5::float8 * power(2, least(t.failures + 1 - $4::int, 30))) * interval '1 millisecond'
             end
           where t.blocked_until <= $2
           returning failures, blocked_until`,
    values: [hash, now, new Date(now.getTime() - countedMs), free, firstPauseMs, maxPauseMs],
    scope: 'nobody',
  });
  return row;
}

async function refusal(db: Queryable, limits: readonly Limit[], now: Date): Promise<DashboardError> {
  const [row] = await db.query<{ until: Date | null }>({
    text: 'select max(blocked_until) as until from sign_in_throttles where name = any($1::bytea[])',
    values: [limits.map(({ hash }) => hash)],
    scope: 'nobody',
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

/** One row per statement: a statement on several rows could deadlock with an attempt. */
async function takeBack(db: Queryable, limits: readonly Limit[]): Promise<void> {
  for (const { hash } of limits) {
    await db.query({
      text: `update sign_in_throttles set failures = greatest(failures - 1, 0), blocked_until = ${noPause}
             where name = $1`,
      values: [hash],
      scope: 'nobody',
    });
  }
}

/** Deletes the sites and failures that no longer count. */
export async function removeOldThrottles(db: Queryable, now: Date): Promise<void> {
  await db.query({
    text: 'delete from known_sites where seen_at < $1',
    values: [new Date(now.getTime() - knownMs)],
    scope: 'nobody',
  });
  await db.query({
    text: 'delete from sign_in_throttles where counted_since < $1 and blocked_until <= $2',
    values: [new Date(now.getTime() - countedMs), now],
    scope: 'nobody',
  });
}
