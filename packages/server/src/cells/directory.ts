import { ApiError } from '@till/contract';
import { Batcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import { findKeys, home, readChanges } from './store.ts';

/** The maximum number of API keys in memory. The oldest is evicted first, and looked up again when it is used. */
const maxKeys = 200_000;
/**
 * The maximum number of pending look-ups, and of look-ups in one statement. Admission control has not counted these requests yet,
 * so while home hangs, a client with invented keys could queue requests without limit.
 */
const maxLookUps = 2_000;

type Found = Awaited<ReturnType<typeof findKeys>>[number];

/**
 * This process's copy of the directory: the cell of each account. Accounts that have always been at home are not listed. With a
 * single cell the directory is empty, and nothing is looked up.
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
  /** The number of reads so far, and the number of the latest read whose answer was applied. */
  #asked = 0;
  #answered = 0;

  /** @param read returns the home database; called before each statement */
  constructor(read: () => Queryable) {
    this.#read = read;
    this.#lookUp = new Batcher((hashes) => findKeys(read(), hashes), { max: maxLookUps });
  }

  /** Whether there is more than one cell. */
  get isDivided(): boolean {
    return this.#count > 1;
  }

  /** Reads the changes of the directory. @returns whether there is more than one cell */
  async refresh(): Promise<boolean> {
    this.#asked += 1;
    const asked = this.#asked;
    const since = this.#revision;
    let changes = await readChanges(this.#read(), since);
    // After a failover the new primary may lack the last changes. Then the whole directory is read again.
    const isAnew = changes.revision < since;
    if (isAnew) changes = await readChanges(this.#read(), 0);
    // The answer of a later read is newer, and must not be overwritten.
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
   * The account of an API key; a promise if it has to be looked up. Null for a key that the directory does not list: it belongs
   * to an account at home, or to none. Unknown keys are not cached, since invented keys do not repeat.
   * @param hash SHA-256 of the key
   * @throws ApiError `service_unavailable` if too many look-ups are pending
   */
  accountOfKey(hash: Buffer): string | null | Promise<string | null> {
    const known = this.knownAccountOfKey(hash);
    if (known !== null) return known;
    return this.#cells.size === 0 ? null : this.#find(hash);
  }

  /** The account of an API key that this process has in memory; null for any other key. */
  knownAccountOfKey(hash: Buffer): string | null {
    return this.#accountOfKey.get(hash.toString('hex')) ?? null;
  }

  /** Whether requests of an account have to wait because the account is being handed over. */
  isHeld(accountId: string): boolean {
    return this.#held.has(accountId);
  }

  /** Resolves after the next read of the directory. */
  async whenRefreshed(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Stores the account of a key in memory, so that the key is not looked up again. */
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
   * Called before a cell refuses a key as unknown: looks up whether the key belongs to another cell.
   * @throws ApiError `service_unavailable` if it does
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
    // Changes that were read since the look-up are at least as new.
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

/** The response to a request in a cell that no longer has the account, or does not have it yet. */
export const elsewhere = () =>
  new ApiError('service_unavailable', 'The account is being moved. Retry with the same Idempotency-Key.', {
    retryAfterSeconds: 1,
  });
