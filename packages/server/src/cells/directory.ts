import { ApiError } from '@till/contract';
import { Batcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import { findKeys, home, readChanges } from './store.ts';

/** Keys that are remembered at most: the oldest is forgotten first, and looked up again. */
const mostKeys = 200_000;

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
  #held: ReadonlySet<string> = new Set();
  #waiting: (() => void)[] = [];
  #revision = 0;
  #count = 1;

  /** @param read the home database, asked for before each statement */
  constructor(read: () => Queryable) {
    this.#read = read;
    this.#lookUp = new Batcher((hashes) => findKeys(read(), hashes));
  }

  /** Whether there is more than one cell. */
  get isDivided(): boolean {
    return this.#count > 1;
  }

  /** Reads what has changed. @returns whether there is more than one cell */
  async refresh(): Promise<boolean> {
    const { revision, cells, moved, held } = await readChanges(this.#read(), this.#revision);
    for (const { account, cell } of moved) this.#cells.set(account, cell);
    this.#revision = Math.max(this.#revision, revision);
    this.#count = cells;
    this.#held = new Set(held);
    for (const look of this.#waiting.splice(0)) look();
    return this.isDivided;
  }

  cellOfAccount(accountId: string): string {
    return this.#cells.get(accountId) ?? home;
  }

  /**
   * The account of an API key, at once where it is known; null for a key that the directory does not name, which is of
   * an account at home, if of any. @param hash SHA-256 of the key
   */
  accountOfKey(hash: Buffer): string | null | Promise<string | null> {
    const known = this.#accountOfKey.get(hash.toString('hex'));
    if (known !== undefined) return known;
    return this.#cells.size === 0 ? null : this.#find(hash);
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
    if (this.#accountOfKey.size <= mostKeys) return;
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
    const found = await this.#lookUp.submit(hash);
    if (found === undefined) return null;
    this.#cells.set(found.accountId, found.cell);
    this.noteKey(hash, found.accountId);
    return found.accountId;
  }
}

/** What a request is answered that came to a cell where its account is no more, or not yet. */
export const elsewhere = () =>
  new ApiError('service_unavailable', 'The account is being moved. Retry with the same Idempotency-Key.', {
    retryAfterSeconds: 1,
  });
