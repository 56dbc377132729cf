import type { Provider } from '@till/contract';
import { type DueQuery, type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import type { HasProcessorIdentity } from '../processors/port/connected.ts';
import { Batcher } from '../store/batcher.ts';
import { listOf, only, type RowOf, rowsOfJson, without } from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { ownerIsGone } from '../store/instance.ts';
import { parameterRows } from '../store/sql.ts';
import type { OfTenant, Tenant } from '../store/tenant.ts';
import { keptColumns, listedColumns, type NotificationRow, type NotificationState } from './row.ts';

/** A verified notification to be stored. */
export interface NewNotification extends OfTenant {
  readonly processor: Provider;
  /** A hash of the upstream's id that does not reveal it. */
  readonly id: string;
  readonly type: string;
  /** Identity of the merchant account. Its secrets verified the notification. */
  readonly processorIdentity: string;
  /** Encrypted. */
  readonly body: Buffer;
  readonly keyVersion: number;
  /** Real time. */
  readonly receivedAt: Date;
  /** Lease of the process that applies it as soon as it is stored; null: it is due, and any process may take it. */
  readonly lease: Lease | null;
}

/** The process that applies a notification, and until when no other may. Real time. */
export interface Lease {
  /** The process's number (`store/instance.ts`). 0 stands for no process; such a lease ends only by time. */
  readonly owner: number;
  readonly until: Date;
}

export interface TakeOptions {
  /** Real time. */
  readonly now: Date;
  readonly lease: Lease;
  readonly maxTries: number;
}

/** A notification that is being applied, with its encrypted content. */
export type TakenNotification = NotificationRow &
  HasProcessorIdentity & { readonly body: Buffer; readonly key_version: number };

const columns = listOf(listedColumns, 'n');
export const insertedColumns = {
  ...without(keptColumns, 'n'),
  ...only(listedColumns, 'state'),
} as const;

/** Inserts in key order, so that two processes that store the same notifications wait for each other instead of deadlocking. */
const keepSql = `with input as (
    select * from ${rowsOfJson(keptColumns)}),
  kept as (
    insert into processor_notifications (${listOf(insertedColumns)})
    select ${listOf(insertedColumns, 'i', { body: `decode(i.body, 'hex')`, state: `'received'` })}
    from input i order by tenant, processor, id
    on conflict do nothing returning tenant, processor, id)
  select n from input join kept using (tenant, processor, id)`;

/**
 * Commits asynchronously: after a crash the notifications are applied once more, which changes nothing. The input consists of
 * arrays, for which the planner assumes ten rows. For JSON it assumes a hundred, and would scan the whole table.
 */
const appliedSql = `with asynchronous as (select set_config('synchronous_commit', 'off', true)),
  input as (
    select r.* from asynchronous cross join ${parameterRows('int', 'text', 'text', 'timestamptz')} as r (tenant, processor, id, at)
    order by tenant, processor, id)
  update processor_notifications n set state = 'applied', applied_at = i.at, lease_owner = 0, body = null,
    key_version = null
  from input i
  where n.tenant = i.tenant and n.processor = i.processor and n.id = i.id
    and n.state <> 'applied'`;

interface Applied {
  readonly row: TakenNotification;
  /** Real time. */
  readonly at: Date;
}

async function markAll(db: Database, applied: readonly Applied[]): Promise<undefined[]> {
  const rows = applied.map(({ row }) => row);
  await db.query({
    name: 'mark_notifications_applied',
    generic: true,
    text: appliedSql,
    values: [
      rows.map(({ tenant }) => tenant),
      rows.map(({ processor }) => processor),
      rows.map(({ id }) => id),
      applied.map(({ at }) => at),
    ],
    scope: rows,
  });
  return applied.map(() => undefined);
}

async function keepAll(db: Database, rows: readonly NewNotification[]): Promise<boolean[]> {
  const input = rows.map(
    (row, n): RowOf<typeof keptColumns> => ({
      n,
      tenant: row.tenant,
      processor: row.processor,
      id: row.id,
      type: row.type,
      processor_identity: row.processorIdentity,
      body: row.body.toString('hex'),
      key_version: row.keyVersion,
      received_at: row.receivedAt,
      // The try that begins now is counted before it starts.
      tries: row.lease === null ? 0 : 1,
      next_try_at: row.lease?.until ?? row.receivedAt,
      lease_owner: row.lease?.owner ?? 0,
    }),
  );
  const kept = await db.query<{ n: number }>({
    name: 'keep_processor_notifications',
    generic: true,
    text: keepSql,
    values: [JSON.stringify(input)],
    scope: input,
  });
  const numbers = new Set(kept.map(({ n }) => n));
  return rows.map((_row, n) => numbers.has(n));
}

const received: DueRows = {
  name: 'tenants_with_due_notifications',
  table: 'processor_notifications',
  where: `d.state = 'received'`,
  dueAt: 'd.next_try_at',
};

/** All SQL on processor notifications. */
export class NotificationStore {
  readonly #db: Database;
  readonly #keep: Batcher<NewNotification, boolean>;
  readonly #applied: Batcher<Applied, undefined>;

  constructor(db: Database) {
    this.#db = db;
    this.#keep = new Batcher((rows) => keepAll(db, rows), {
      keyOf: (row) => `${row.tenant} ${row.processor} ${row.id}`,
    });
    this.#applied = new Batcher((applied) => markAll(db, applied));
  }

  /** Stores a notification once. @returns false if it was stored already */
  keep(notification: NewNotification): Promise<boolean> {
    return this.#keep.submit(notification);
  }

  /**
   * Makes due again the notifications that an ended process was applying.
   * @param now real time
   * @returns how many there were
   */
  async releaseAbandoned(now: Date): Promise<number> {
    const rows = await this.#db.query({
      name: 'release_abandoned_notifications',
      scope: 'everybody',
      text: `update processor_notifications set next_try_at = $1, lease_owner = 0
             where lease_owner <> 0 and state = 'received' and ${ownerIsGone('lease_owner')}
             returning tenant, id`,
      values: [now],
    });
    return rows.length;
  }

  /** The tenants with due notifications. */
  tenantsDue(query: DueQuery): Promise<Tenant[]> {
    return dueTenants(this.#db, received)(query);
  }

  /**
   * Takes the new notifications that have been due longest, until the lease ends. Each try is counted at once.
   * @param now real time
   * @returns the notifications in the order in which they were due
   */
  takeNew(tenant: Tenant, options: TakeOptions, max: number): Promise<TakenNotification[]> {
    return this.#take(tenant, options, 'tries = 0', max);
  }

  /**
   * Takes the one that has been due longest among those that were tried before. It is taken alone, because it may have
   * crashed a process. A notification that used up its tries is returned as `parked` and must not be tried.
   * @param now real time
   */
  async takeTriedOne(tenant: Tenant, options: TakeOptions): Promise<TakenNotification | undefined> {
    const [row] = await this.#take(tenant, options, 'tries > 0', 1);
    return row;
  }

  async #take(
    tenant: Tenant,
    { now, lease, maxTries }: TakeOptions,
    which: 'tries = 0' | 'tries > 0',
    max: number,
  ): Promise<TakenNotification[]> {
    const rows = await this.#db.query<TakenNotification & { readonly due_at: Date }>({
      name: which === 'tries = 0' ? 'take_new_notifications' : 'take_tried_notification',
      text: `with asynchronous as (select set_config('synchronous_commit', 'off', true)),
             next as (
               select tenant, processor, id, next_try_at as due_at
               from asynchronous cross join processor_notifications
               where tenant = $1 and state = 'received' and next_try_at <= $2 and ${which}
               order by next_try_at, id limit $6 for update of processor_notifications skip locked)
             update processor_notifications n set next_try_at = $3,
               lease_owner = case when n.tries >= $4 then 0 else $5::bigint end,
               state = case when n.tries >= $4 then 'parked' else n.state end,
               tries = case when n.tries >= $4 then n.tries else n.tries + 1 end
             from next
             where n.tenant = next.tenant and n.processor = next.processor
               and n.id = next.id
             returning ${columns}, n.processor_identity, n.body, n.key_version, next.due_at`,
      values: [tenant.tenant, now, lease.until, maxTries, lease.owner, max],
      scope: tenant,
    });
    return rows.toSorted((one, other) => +one.due_at - +other.due_at || (one.id < other.id ? -1 : 1));
  }

  /** Marks a notification as applied and deletes its content, which is no longer needed. @param at real time */
  markApplied(row: TakenNotification, at: Date): Promise<void> {
    return this.#applied.submit({ row, at });
  }

  /** Schedules another try, unless another process has taken the notification meanwhile. @param at real time */
  async tryAgain(row: TakenNotification, at: Date): Promise<void> {
    await this.#db.query({
      name: 'try_notification_again',
      text: `update processor_notifications set next_try_at = $5, lease_owner = 0
             where tenant = $1 and processor = $2 and id = $3 and state = 'received'
               and tries = $4`,
      values: [row.tenant, row.processor, row.id, row.tries, at],
      scope: row,
    });
  }

  /** Lists notifications, newest first. @param state only those in this state; null: all */
  async list(tenant: Tenant, state: NotificationState | null, max: number): Promise<NotificationRow[]> {
    return this.#db.query<NotificationRow>({
      text: `select ${columns} from processor_notifications n
             where tenant = $1 ${state === null ? '' : 'and state = $3'}
             order by received_at desc, id limit $2`,
      values: [tenant.tenant, max, ...(state === null ? [] : [state])],
      scope: tenant,
    });
  }

  /** Makes an unapplied notification due now, with all of its tries. @returns undefined if there is none */
  async retry(tenant: Tenant, id: string, now: Date): Promise<NotificationRow | undefined> {
    const [row] = await this.#db.query<NotificationRow>({
      text: `update processor_notifications n set state = 'received', tries = 0, next_try_at = $3, lease_owner = 0
             where tenant = $1 and id = $2 and state <> 'applied' returning ${columns}`,
      values: [tenant.tenant, id, now],
      scope: tenant,
    });
    return row;
  }

  /** Deletes notifications applied before that moment, a few thousand at a time. @returns how many */
  async removeApplied(before: Date): Promise<number> {
    const rows = await this.#db.query({
      name: 'remove_applied_notifications',
      scope: 'everybody',
      text: `delete from processor_notifications where (tenant, processor, id) in (
               select tenant, processor, id from processor_notifications
               where received_at <= $1 and state = 'applied' and applied_at <= $1 limit 5000)
             returning 1`,
      values: [before],
    });
    return rows.length;
  }
}
