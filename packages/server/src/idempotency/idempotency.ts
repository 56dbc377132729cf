import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '@till/contract';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdempotencyRecord, LookedUpRecord } from '../lib/idempotency-record.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import type { DerivedKeys } from '../lib/keys.ts';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import type { Tenant } from '../store/tenant.ts';
import { type Claim, retentionHoursOf } from './claims.ts';
import type { IdempotencyStore, RecordKey } from './store.ts';

/** How long a retry waits for the first request, and how many retries may wait for one key (decisions, "Idempotency"). */
const waitMs = 25_000;
const maxWaiters = 50;
/** How many retries of one account, and of all accounts, may wait at the same time: each of them polls the database. */
const waitLimits = { each: 100, all: 400 };
/** Another process may finish the first request, so a waiting retry also polls, with gaps that grow up to the maximum. */
const firstPollMs = 250;
const maxPollMs = 1_000;

export type Found =
  | { readonly kind: 'new'; readonly claim: Claim }
  | { readonly kind: 'resume'; readonly claim: Claim; readonly resourceId: string }
  | { readonly kind: 'replay'; readonly status: number; readonly body: string };

export interface IdempotencyDependencies {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly randomBytes: RandomBytes;
  /** This process' number. */
  readonly instance: { readonly number: number };
  /** Longer than any request to a processor may take. */
  readonly leaseMs: number;
}

interface Caller extends Tenant {
  readonly now: Date;
  /** Frees the caller's place while it waits for the first request with its key. */
  readonly suspend: Suspend;
}

interface RequestWithKey {
  readonly scope: string;
  readonly key: string;
  readonly body: unknown;
  /**
   * The record that was read together with the caller; it saves the first look-up. Like every record that was read it may be
   * out of date: if the key was claimed meanwhile, the claim fails and so reveals it.
   */
  readonly lookedUp?: LookedUpRecord | null | undefined;
}

/** Decides what a request with an `Idempotency-Key` is: the first one, a repeat to be answered by replay, or one to resume. */
export class Idempotency {
  readonly #deps: IdempotencyDependencies;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Limits the waiting retries, by account. */
  readonly #waits = new Bulkhead(waitLimits);

  constructor(deps: IdempotencyDependencies) {
    this.#deps = deps;
  }

  /**
   * Looks the key up. While the first request with it is running this waits, holding no database connection.
   * @throws ApiError `key_reused` for another body; `provider_unavailable` if the first request does not end in time, or if
   *   too many retries wait already
   */
  async find(caller: Caller, request: RequestWithKey): Promise<Found> {
    const { clock, store, keys, instance, randomBytes } = this.#deps;
    const fingerprints = keys.fingerprints(canonicalJson(request.body));
    const key = {
      tenant: caller.tenant,
      scope: request.scope,
      key: request.key,
    };
    const deadline = clock.elapsed() + waitMs;
    let { lookedUp } = request;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, 2 * pollMs)) {
      const claimWith = (fingerprint: Buffer): Claim => ({
        scope: request.scope,
        key: request.key,
        fingerprint: fingerprint.toString('hex'),
        eventId: newId('evt', clock.now(), randomBytes),
        owner: instance.number,
        leaseUntil: new Date(clock.now().getTime() + this.#deps.leaseMs),
      });
      const record = lookedUp ? lookedUp.record : await store.read(key);
      lookedUp = null;
      if (record === undefined || isOver(record, caller.now)) {
        return { kind: 'new', claim: claimWith(fingerprints[0]) };
      }
      const known = Buffer.from(record.fingerprint, 'hex');
      const same = fingerprints.find((fingerprint) => timingSafeEqual(known, fingerprint));
      if (same === undefined) {
        throw new ApiError('key_reused', 'This Idempotency-Key was used with another body. Use a new key.');
      }
      const claim = claimWith(same);
      if (record.state === 'done' && record.status !== null && record.body !== null) {
        return { kind: 'replay', status: record.status, body: record.body };
      }
      const resourceId = await store.takeOver(key, claim, clock.now());
      if (resourceId !== undefined) return { kind: 'resume', claim, resourceId };
      const left = deadline - clock.elapsed();
      if (left <= 0 || !(await this.#wait(caller, key, Math.min(pollMs, left)))) throw stillRunning();
    }
  }

  /** Wakes the retries that wait for a request that has just ended. */
  finished(caller: Tenant, claim: Claim): void {
    for (const wake of this.#waiting.get(nameOf(recordKey(caller, claim))) ?? []) wake();
  }

  /** Leaves a request without an answer open, so that a retry can resume it. */
  async release(caller: Tenant, claim: Claim): Promise<void> {
    await this.#deps.store.release(recordKey(caller, claim), claim);
    this.finished(caller, claim);
  }

  /** Waits for the first request to end, at most `ms`. @returns false if too many retries wait already */
  async #wait({ accountId, suspend }: Caller, key: RecordKey, ms: number): Promise<boolean> {
    const name = nameOf(key);
    const waiters = this.#waiting.get(name) ?? new Set();
    if (waiters.size >= maxWaiters) return false;
    const leave = this.#waits.enter(accountId);
    if (leave === null) return false;
    this.#waiting.set(name, waiters);
    const woken = new AbortController();
    const wake = () => woken.abort();
    waiters.add(wake);
    try {
      await suspend(() => this.#deps.clock.delay(ms, woken.signal));
      return true;
    } finally {
      leave();
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(name);
    }
  }
}

/** Identifies the record of a caller's key. */
export const recordKey = (caller: Tenant, { scope, key }: { scope: string; key: string }): RecordKey => ({
  tenant: caller.tenant,
  scope,
  key,
});

const nameOf = (key: RecordKey) => JSON.stringify([key.tenant, key.scope, key.key]);

/**
 * Whether a record's 24 hours are over, so that its key is new again (spec, "Idempotency"). Never while the outcome of its
 * request is unknown, since the key would then charge a second time. A request that waits for an approval is kept longer.
 * @param now account time
 */
export const isOver = (record: IdempotencyRecord, now: Date): boolean =>
  !record.unresolved &&
  now.getTime() - record.created_at.getTime() >= retentionHoursOf(record.resource_id) * 3_600_000;

function stillRunning(): ApiError {
  return new ApiError(
    'provider_unavailable',
    'The first request with this Idempotency-Key is still running. Retry soon.',
    {
      retryAfterSeconds: 2,
    },
  );
}
