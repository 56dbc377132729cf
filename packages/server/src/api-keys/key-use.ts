import type { Database } from '../store/database.ts';

/** Records which keys are used, and writes that later: at most once a minute per key, never within a request. */
export class KeyUse {
  readonly #db: Database;
  readonly #now: () => Date;
  /** The account id of each used key. */
  #used = new Map<string, string>();

  /** @param now real time */
  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  note({ accountId, keyId }: { readonly accountId: string; readonly keyId: string }): void {
    this.#used.set(keyId, accountId);
  }

  /** Writes the uses recorded since the last call. */
  async write(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    await this.#db.query({
      name: 'note_key_use',
      // Rows are locked in a fixed order. Otherwise processes that write the same keys at once could deadlock.
      text: `with due as (
               select k.account_id, k.id from unnest($1::text[], $2::text[]) as used (account_id, id)
               join api_keys k on k.account_id = used.account_id and k.id = used.id
               where k.last_used_at is null or k.last_used_at <= $3::timestamptz - interval '1 minute'
               order by k.account_id, k.id for update of k)
             update api_keys k set last_used_at = $3
             from due where k.account_id = due.account_id and k.id = due.id`,
      values: [[...used.values()], [...used.keys()], this.#now()],
      scope: [...used.values()].map((accountId) => ({ accountId })),
    });
  }
}
