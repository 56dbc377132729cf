import type { Queryable } from '../store/database.ts';

/** How many deliveries an event is taken to write where the account has no more endpoints than these. */
const usual = 4;

/**
 * Knows of each account how many deliveries one of its events writes: one for each endpoint. Each process keeps its own,
 * so that batches can be weighed without asking.
 */
export class FanOut {
  readonly #db: Queryable;
  #endpoints: ReadonlyMap<string, number> = new Map();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Looks which accounts have more endpoints than usual. */
  async refresh(): Promise<void> {
    const rows = await this.#db.query<{ account_id: string; endpoints: number }>({
      name: 'accounts_with_many_endpoints',
      scope: 'everybody',
      text: `select account_id, count(*) as endpoints from webhook_endpoints
             where deleted_at is null group by account_id having count(*) > $1`,
      values: [usual],
    });
    this.#endpoints = new Map(rows.map((row) => [row.account_id, row.endpoints]));
  }

  /** How many deliveries an event of this account writes at most, as of the last look. */
  of(accountId: string): number {
    return this.#endpoints.get(accountId) ?? usual;
  }
}
