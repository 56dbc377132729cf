import { ApiError } from '@till/contract';
import { Batcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import { findKeys, home, readChanges } from './store.ts';

/** Keys that are remembered at most: the oldest is forgotten first, and looked up again. */
const maxKeys = 200_000;
/**
 * Look-ups that wait at once, and go to home in one statement. Each is a request that no admission has counted yet: where home
 * hangs, a client that invents keys would collect them without end.
 */
const maxLookUps = 2_000;

type Found = Awaited<ReturnType<typeof findKeys>>[number];

/**
 * Where each account is, as this process knows it. Accounts that are at home, and always were, are named nowhere: with one
 * cell nothing is known and nothing is asked.
 */
export class Directory {
  readonly #read: () => Queryable;
  readonly #lookUp: Batcher<Buffer, Found>;
  readonly #cells = new Map<string, string>();
  readonly #accountOfKey = new Map<string, string>();
  #lookUps = 0;
  #held: ReadonlySet<string> = new Set();
  #waiting: (() => void)[] = [];
  #revision = 0;
  #count = 1;
  /** How often it was read, and which of these answers was the last to count. */
  #asked = 0;
  #answered = 0;

  /** @param read the home database, asked for before each statement */
  constructor(read: () => Queryable) {
    this.#read = read;
    this.#lookUp = new Batcher((hashes) => findKeys(read(), hashes), { max: maxLookUps });
  }

  /** Whether there is more than one cell. */
  get isDivided(): boolean {
    return this.#count > 1;
  }

  /** Reads what has changed. @returns whether there is more than one cell */
  async refresh(): Promise<boolean> {
    this.#asked += 1;
    const asked = this.#asked;
    const since = this.#revision;
    let changes = await readChanges(this.#read(), since);
    // A standby that leads by now had not got the last changes: what was read of them does not count.
    const isAnew = changes.revision < since;
    if (isAnew) changes = await readChanges(this.#read(), 0);
    // An answer that was overtaken knows less.
    if (asked > this.#answered) {
      this.#answered = asked;
      if (isAnew) this.#cells.clear();
      for (const { account, cell } of changes.moved) this.#cells.set(account, cell);
      this.#revision = changes.revision;
      this.#count = changes.cells;
      this.#held = new Set(changes.held);
    }
    for (const look of this.#waiting.splice(0)) look();
    return this.isDivided;
  }

  cellOfAccount(accountId: string): string {
    return this.#cells.get(accountId) ?? home;
  }

  /**
   * The account of an API key, at once where it is known; null for a key that the directory does not name, which is of
   * an account at home, if of any. That is not remembered: keys that are invented never come twice. @param hash SHA-256 of the key
   * @throws ApiError `service_unavailable` where too many look-ups wait
   */
  accountOfKey(hash: Buffer): string | null | Promise<string | null> {
    const known = this.knownAccountOfKey(hash);
    if (known !== null) return known;
    return this.#cells.size === 0 ? null : this.#find(hash);
  }

  /** The account of an API key that this process has met; null for any other. */
  knownAccountOfKey(hash: Buffer): string | null {
    return this.#accountOfKey.get(hash.toString('hex')) ?? null;
  }

  /** Whether requests of an account wait, because it is just being handed over. */
  isHeld(accountId: string): boolean {
    return this.#held.has(accountId);
  }

  /** Resolves once that has changed, or was looked at again. */
  async whenRefreshed(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Notes whose key it is, so that it is not looked up again. */
  noteKey(hash: Buffer, accountId: string): void {
    if (!this.isDivided) return;
    const name = hash.toString('hex');
    if (this.#accountOfKey.has(name)) return;
    this.#accountOfKey.set(name, accountId);
    if (this.#accountOfKey.size <= maxKeys) return;
    for (const oldest of this.#accountOfKey.keys()) {
      this.#accountOfKey.delete(oldest);
      return;
    }
  }

  /**
   * Before a cell says of a key that nobody knows it: whether it is of another one, where this process knew no better.
   * @throws ApiError `service_unavailable` where it is
   */
  async requireNowhereElse(hash: Buffer, cell: string): Promise<void> {
    if (!this.isDivided) return;
    const found = await this.#lookUp.submit(hash);
    if (found === undefined || found.cell === cell) return;
    await this.refresh();
    this.noteKey(hash, found.accountId);
    throw elsewhere();
  }

  async #find(hash: Buffer): Promise<string | null> {
    const found = await this.#lookUpBounded(hash);
    if (found === undefined) return null;
    // What was read since is as new, or newer.
    if (found.revision > this.#revision) this.#cells.set(found.accountId, found.cell);
    this.noteKey(hash, found.accountId);
    return found.accountId;
  }

  /** @throws ApiError `service_unavailable` */
  async #lookUpBounded(hash: Buffer): Promise<Found> {
    if (this.#lookUps >= maxLookUps) throw notNow();
    this.#lookUps += 1;
    try {
      return await this.#lookUp.submit(hash);
    } finally {
      this.#lookUps -= 1;
    }
  }
}

const notNow = () =>
  new ApiError(
    'service_unavailable',
    'The API key cannot be looked up right now. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );

/** What a request is answered that came to a cell where its account is no more, or not yet. */
export const elsewhere = () =>
  new ApiError('service_unavailable', 'The account is being moved. Retry with the same Idempotency-Key.', {
    retryAfterSeconds: 1,
  });
