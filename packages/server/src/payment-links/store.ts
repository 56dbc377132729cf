import type { PaymentLinkListQuery, PaymentLinkStatus } from '@till/contract';
import { eventColumns, eventInput, insertEvents, type NewEvent } from '../events/events.ts';
import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { placeOfPage } from '../lib/list.ts';
import {
  assigned,
  bigint,
  cte,
  int,
  jsonRows,
  keyColumns,
  listOf,
  only,
  rowsOfJson,
  text,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { Conditions } from '../store/list.ts';
import { numberedList } from '../store/numbered-list.ts';
import { numbered } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { type AuditEntryRow, auditEntryColumns, insertAuditEntries } from '../users/audit/audit.ts';
import { countedColumns, type LinkFilter, type LinkRow, linkColumns } from './row.ts';

const columns = listOf(countedColumns);

const insertInput = {
  n: int,
  ...linkColumns,
  ...claimColumns,
  ...eventColumns,
  ...auditEntryColumns,
  answer: text,
} as const;
const insertSql = `with input as (select * from ${rowsOfJson(insertInput)}),
  ${claimKeys(cte('input', insertInput), { state: `'done'`, status: '201', body: 'answer' })},
  ${numbered('links_in', 'payment_links', cte('fresh', insertInput))},
  ${insertAuditEntries(cte('fresh', insertInput))},
  ${insertEvents(cte('fresh', insertInput))}
  insert into payment_links (seq, ${listOf(linkColumns)})
  select seq, ${listOf(linkColumns)} from ${cte('links_in', { seq: bigint, ...insertInput }).name} returning id`;

/** The columns that an update may change. */
const changedColumns = only(linkColumns, 'title', 'description', 'is_on', 'expires_at', 'max_payments');
/** What else may change in a link. Its event shows the whole link, so a change is written only if these are still as read. */
const seenColumns = { seen_events: int, seen_open: int, seen_payments: int, seen_amount: bigint } as const;
const seenOf = (link: LinkRow) => ({
  seen_events: link.event_count,
  seen_open: link.open_count,
  seen_payments: link.payments_count,
  seen_amount: link.payments_amount,
});
const updateInput = {
  n: int,
  ...keyColumns,
  ...changedColumns,
  ...seenColumns,
  ...eventColumns,
  ...auditEntryColumns,
} as const;
const updateSql = `with input as (select * from ${rowsOfJson(updateInput)}),
  changed as (
    update payment_links l set ${assigned(changedColumns, 'i')}, event_count = l.event_count + 1
    from input i where l.tenant = i.tenant and l.id = i.id
      and (l.event_count, l.open_count, l.payments_count, l.payments_amount)
        = (i.seen_events, i.seen_open, i.seen_payments, i.seen_amount) returning i.n),
  won as (select i.* from input i join changed c on c.n = i.n),
  ${insertAuditEntries(cte('won', updateInput))},
  ${insertEvents(cte('won', updateInput))}
  select n from won`;

/** How often a change is tried, since concurrent payments and other changes may come in between. */
const maxTries = 100;

/** SQL for whether a link `r` has a status. @param now SQL parameter with account time */
const isOf = (status: PaymentLinkStatus, now: string): string => {
  const completed = 'coalesce(r.payments_count >= r.max_payments, false)';
  const over = `coalesce(r.expires_at <= ${now}, false)`;
  switch (status) {
    case 'completed':
      return completed;
    case 'inactive':
      return `not r.is_on and not ${completed}`;
    case 'expired':
      return `r.is_on and ${over} and not ${completed}`;
    case 'active':
      return `r.is_on and not ${over} and not ${completed}`;
  }
};

/** Adds the condition that a link has one of these statuses. @param now account time */
function requireStatus(where: Conditions, statuses: readonly PaymentLinkStatus[], now: Date): void {
  const needsTime = statuses.some((status) => status === 'active' || status === 'expired');
  const time = needsTime ? where.value(now) : '';
  where.require(`(${statuses.map((status) => isOf(status, time)).join(' or ')})`);
}

const readList = numberedList<LinkRow>({
  name: 'list_payment_links',
  list: 'payment_links',
  table: 'payment_links',
  columns: `${columns}, seq`,
});

interface NewLink {
  readonly link: LinkRow;
  readonly event: NewEvent;
  readonly claim: Claim | null;
  readonly answer: string;
  readonly entry: AuditEntryRow | null;
}

/** A link after a change, with the change's event and audit entry. */
interface LinkChange {
  readonly after: LinkRow;
  readonly event: NewEvent;
  readonly entry: AuditEntryRow | null;
}

/** Finds the tenant of a link, for the operator's command line, which names only the link. */
export async function locateLink(db: Queryable, id: string): Promise<Tenant | undefined> {
  const [row] = await db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from payment_links l join tenants t using (tenant)
           where l.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** All SQL on payment links, except the counts that the commits of payments update. */
export class LinkStore {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * Inserts a link with its event, audit entry, claim and stored answer.
   * @returns false if another request claimed the key
   */
  async insert({ link, event, claim, answer, entry }: NewLink): Promise<boolean> {
    const more = { n: 0, ...claimInput(claim), ...eventInput(event), answer, entry };
    const rows = await this.#db.query({
      name: 'insert_payment_link',
      text: insertSql,
      values: [jsonRows(insertInput, [[link, more]])],
      scope: link,
    });
    return rows.length === 1;
  }

  async find(tenant: Tenant, id: string): Promise<LinkRow | undefined> {
    const [row] = await this.#db.query<LinkRow>({
      name: 'find_payment_link',
      text: `select ${columns} from payment_links where tenant = $1 and id = $2`,
      values: [tenant.tenant, id],
      scope: tenant,
    });
    return row;
  }

  /**
   * Changes a link. Each change builds on the one before, and its event shows the link as it then is. No lock is held between
   * reading and writing, since the commits of its payments update the same row. `change` may therefore be called several times.
   * @param change returns the link as it becomes, with its event; null: the link stays as it is
   * @returns the link afterwards; undefined for an unknown one
   */
  async change(
    tenant: Tenant,
    id: string,
    change: (link: LinkRow) => LinkChange | null,
  ): Promise<LinkRow | undefined> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const link = await this.find(tenant, id);
      if (link === undefined) return undefined;
      const changed = change(link);
      if (changed === null) return link;
      if (await this.#update(link, changed)) return changed.after;
    }
    throw new Error('the payment link was changed by others each time');
  }

  /** @returns false if the link has changed since it was read */
  async #update(before: LinkRow, { after, event, entry }: LinkChange): Promise<boolean> {
    const more = { n: 0, ...seenOf(before), ...eventInput(event), entry };
    const rows = await this.#db.query({
      name: 'update_payment_link',
      text: updateSql,
      values: [jsonRows(updateInput, [[after, more]])],
      scope: before,
    });
    return rows.length === 1;
  }

  /** One page, newest first, with the total number. @param now account time */
  list(
    tenant: Tenant,
    { statuses, ...page }: Pick<PaymentLinkListQuery, 'page' | 'per_page'> & LinkFilter,
    now: Date,
    db: Queryable = this.#db,
  ): Promise<{ rows: readonly LinkRow[]; total: number }> {
    const where = statuses === null ? null : new Conditions(['r.tenant = $1'], [tenant.tenant]);
    if (statuses !== null && where !== null) requireStatus(where, statuses, now);
    return readList(db, tenant, placeOfPage(page), where);
  }

  /**
   * The next matching links, newest first, for an export of all.
   * @param place `before`: only links with a smaller number, null: from the newest; `max`: how many
   * @returns the rows, and the number of the last one; null: there are none
   */
  async next(
    tenant: Tenant,
    { statuses }: LinkFilter,
    now: Date,
    { before, max }: { readonly before: number | null; readonly max: number },
  ): Promise<{ readonly rows: readonly LinkRow[]; readonly last: number | null }> {
    const where = new Conditions(['true'], [tenant.tenant]);
    if (statuses !== null) requireStatus(where, statuses, now);
    where.add((p) => `r.seq < ${p}`, before);
    const rows = await this.#db.query<LinkRow & { seq: number }>({
      text: `select ${columns}, seq from payment_links r
             where r.tenant = $1 and ${where.sql} order by seq desc limit ${where.value(max)}`,
      values: where.values,
      scope: tenant,
    });
    return { rows, last: rows.at(-1)?.seq ?? null };
  }

  /** Id of the payment that a form began; null: none. @param visit hash of the form's name */
  async attemptOf(tenant: Tenant, linkId: string, visit: Buffer): Promise<string | null> {
    const [row] = await this.#db.query<{ payment_id: string }>({
      name: 'find_payment_link_attempt',
      text: `select payment_id from payment_link_attempts where tenant = $1 and link_id = $2 and visit_sha256 = $3`,
      values: [tenant.tenant, linkId, visit],
      scope: tenant,
    });
    return row?.payment_id ?? null;
  }

  /** A browser's attempts with a link: the payment of the newest one, and how many there are. */
  async attemptsOfBrowser(
    tenant: Tenant,
    linkId: string,
    browser: Buffer,
  ): Promise<{ readonly newest: string | null; readonly count: number }> {
    const [row] = await this.#db.query<{ newest: string | null; count: number }>({
      name: 'payment_link_attempts_of_browser',
      text: `select (array_agg(payment_id order by created_at desc, payment_id desc))[1] as newest, count(*)::int as count
             from payment_link_attempts where tenant = $1 and link_id = $2 and browser_sha256 = $3`,
      values: [tenant.tenant, linkId, browser],
      scope: tenant,
    });
    return row ?? { newest: null, count: 0 };
  }

  /** The payments that one network began with a link, newest first, at most 500. @param since account time */
  async attemptsOfNetwork(tenant: Tenant, linkId: string, network: Buffer, since: Date): Promise<string[]> {
    const rows = await this.#db.query<{ payment_id: string }>({
      name: 'payment_link_attempts_of_network',
      text: `select payment_id from payment_link_attempts
             where tenant = $1 and link_id = $2 and network = $3 and created_at > $4 order by created_at desc limit 500`,
      values: [tenant.tenant, linkId, network, since],
      scope: tenant,
    });
    return rows.map(({ payment_id: id }) => id);
  }
}
