import type { Queryable } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';

/** How many deliveries an event is assumed to write, unless its account has more endpoints than this. */
const defaultFanOut = 4;

/**
 * Knows how many deliveries an event of each account writes: one for each endpoint. Each process keeps its own copy, so that it
 * can limit the size of batches without asking the database.
 */
export class FanOut {
  readonly #db: Queryable;
  #endpoints: ReadonlyMap<TenantId, number> = new Map();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Reads which accounts have more endpoints than `defaultFanOut`. */
  async refresh(): Promise<void> {
    const rows = await this.#db.query<{ tenant: TenantId; endpoints: number }>({
      name: 'accounts_with_many_endpoints',
      scope: 'everybody',
      text: `select t.tenant, count(*) as endpoints from webhook_endpoints e join tenants t using (account_id)
             where e.deleted_at is null group by t.tenant having count(*) > $1`,
      values: [defaultFanOut],
    });
    this.#endpoints = new Map(rows.map((row) => [row.tenant, row.endpoints]));
  }

  /** How many deliveries an event of this tenant writes at most, as of the last `refresh`. */
  of(tenant: TenantId): number {
    return this.#endpoints.get(tenant) ?? defaultFanOut;
  }
}
