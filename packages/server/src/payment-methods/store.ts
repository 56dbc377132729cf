import type { Lease } from '../operations/operation.ts';
import { insertOperations, intentColumns } from '../operations/sql.ts';
import type { RecurringModel } from '../processors/port/instruments.ts';
import {
  type Cte,
  cte,
  keyColumns,
  listOf,
  type RowOf,
  type tenantColumns,
  text,
  time,
  typesOf,
  without,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { foundRows, type ListedRow, matchingPage } from '../store/list.ts';
import type { OfTenant } from '../store/tenant.ts';
import { type PaymentMethodRow, paymentMethodColumns } from './row.ts';

const newMethodColumns = {
  ...without(paymentMethodColumns, 'tenant', 'token', 'removed_at'),
  token: text,
  token_name: text,
} as const;

/** A method to be inserted by the commit of the payment that saved it. Bytes are in hex: the row travels as JSON. */
export type NewPaymentMethod = RowOf<typeof newMethodColumns>;

/** What a later payment reported about a method that it saved again. */
interface Renewal {
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly processorIdentity: string | null;
  readonly model: RecurringModel;
  /** The payment's id. Ids sort by time, so they give the order of the saves. */
  readonly savedBy: string;
  /** When the upstream forgot the token, if it did since that payment began; else null. Account time. */
  readonly goneAt: Date | null;
}

/** A token of a customer. */
interface CustomerToken {
  readonly customerId: string;
  readonly tokenName: Buffer;
  /** Identity of the merchant account that keeps it; null: not known. */
  readonly identity: string | null;
  /** When the payment that saved it began. Account time. */
  readonly since: Date;
}

interface ForgottenAt {
  readonly forgotten_at: Date | null;
}

interface Found {
  readonly known: PaymentMethodRow | undefined;
  /** When the upstream forgot the token; null: it did not, or did so before `since`. */
  readonly forgottenAt: Date | null;
}

const columns = listOf(paymentMethodColumns);

/** The constraint that refuses the second of two concurrent commits which save the same card or wallet of one customer. */
export const oneMethodPerToken = 'payment_methods_one_per_token';

const plainColumns = without(newMethodColumns, 'token', 'token_name');

/** Inserts the methods of a CTE's rows; `new_method` is a `NewPaymentMethod` as JSON, or null. */
export const insertPaymentMethods = (source: Cte<keyof typeof tenantColumns | 'new_method'>): string =>
  `insert into payment_methods (tenant, ${listOf(plainColumns)}, token, token_name)
   select s.tenant, ${listOf(plainColumns, 'm')}, decode(m.token, 'hex'), decode(m.token_name, 'hex')
   from ${source.name} s cross join json_to_record(s.new_method) as m (${typesOf(newMethodColumns)})
   where s.new_method is not null`;

const listStatement = {
  name: 'list_payment_methods',
  text: matchingPage(
    { table: 'payment_methods', columns, order: ['created_at desc', 'id desc'] },
    {
      where: 'tenant = $1 and customer_id = $2 and removed_at is null',
      skip: '$3::bigint',
      take: '$4',
    },
  ),
};

/** All SQL on saved methods that is not part of a payment's commit. */
export class PaymentMethodStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Finds a method, even a removed one, since a payment that was begun with it may still be resumed. */
  async find(tenant: OfTenant, id: string): Promise<PaymentMethodRow | undefined> {
    const [row] = await this.#db.query<PaymentMethodRow>({
      name: 'find_payment_method',
      text: `select ${columns} from payment_methods where tenant = $1 and id = $2`,
      values: [tenant.tenant, id],
      scope: tenant,
    });
    return row;
  }

  /** Finds the customer's method with this token, unless it was removed, and when the upstream forgot the token. */
  async findByToken(
    tenant: OfTenant,
    { customerId, tokenName, identity, since }: CustomerToken,
  ): Promise<Found> {
    const [row] = await this.#db.query<{ readonly id: string | null } & ForgottenAt>({
      name: 'find_payment_method_by_token',
      text: `select ${listOf(paymentMethodColumns, 'm')}, f.forgotten_at
             from (select $1::int as tenant) i
             left join payment_methods m
               on m.tenant = i.tenant and m.customer_id = $2 and m.token_name = $3 and m.removed_at is null
             left join forgotten_tokens f
               on f.tenant = i.tenant and f.token_name = $3 and f.forgotten_at >= $4
                 and (f.processor_identity is null or $5::text is null or f.processor_identity = $5)`,
      values: [tenant.tenant, customerId, tokenName, since, identity],
      scope: tenant,
    });
    const known = row === undefined || row.id === null ? undefined : (row as PaymentMethodRow & ForgottenAt);
    return { known, forgottenAt: row?.forgotten_at ?? null };
  }

  /**
   * Finds the card that the customer saved last, among those that can be charged: not removed, not revoked, not expired, and
   * kept by the merchant account that will be asked.
   * @param now account time
   */
  async newestCard(
    tenant: OfTenant,
    customerId: string,
    identity: string,
    now: Date,
  ): Promise<PaymentMethodRow | undefined> {
    const [row] = await this.#db.query<PaymentMethodRow>({
      name: 'newest_saved_card',
      text: `select ${columns} from payment_methods
             where tenant = $1 and customer_id = $2 and removed_at is null
               and type = 'card' and gone_at is null
               and (exp_year is null or exp_month is null or exp_year * 12 + exp_month >= $3)
               and (processor_identity is null or processor_identity = $4)
             order by saved_by collate "C" desc, id desc limit 1`,
      values: [tenant.tenant, customerId, now.getUTCFullYear() * 12 + now.getUTCMonth() + 1, identity],
      scope: tenant,
    });
    return row;
  }

  /**
   * The upstream's own id for the customer, from the newest method that has one.
   * @param identity identity of the merchant account that will be asked, which knows only its own ids; null: not known
   */
  async upstreamCustomerOf(
    tenant: OfTenant,
    customerId: string,
    identity: string | null,
  ): Promise<string | null> {
    const [row] = await this.#db.query<{ upstream_customer: string }>({
      name: 'upstream_customer',
      text: `select upstream_customer from payment_methods
             where tenant = $1 and customer_id = $2 and removed_at is null
               and upstream_customer is not null
               and ($3::text is null or processor_identity is null or processor_identity = $3)
             order by created_at desc, id desc limit 1`,
      values: [tenant.tenant, customerId, identity],
      scope: tenant,
    });
    return row?.upstream_customer ?? null;
  }

  /** One page of a customer's methods, newest first, with the total number. */
  async list(
    tenant: OfTenant,
    customerId: string,
    page: number,
    perPage: number,
  ): Promise<{ rows: PaymentMethodRow[]; total: number }> {
    return foundRows(
      await this.#db.query<ListedRow<PaymentMethodRow>>({
        ...listStatement,
        values: [tenant.tenant, customerId, (page - 1) * perPage, perPage],
        scope: tenant,
      }),
    );
  }

  /**
   * Renews a method that the customer saved again: it takes over the new model and expiry, counts as the customer's newest, and
   * can be charged unless the upstream forgot the token since. The latest save counts, in whatever order the answers arrive
   * (decisions, "Limits and refusals").
   */
  async renew(method: PaymentMethodRow, renewed: Renewal): Promise<void> {
    await this.#db.query({
      name: 'renew_payment_method',
      text: `update payment_methods set gone_at = $8, exp_month = coalesce($3, exp_month),
               exp_year = coalesce($4, exp_year), processor_identity = coalesce($5, processor_identity),
               recurring_processing_model = $6, saved_by = $7
             where tenant = $1 and id = $2 and saved_by collate "C" < $7`,
      values: [
        method.tenant,
        method.id,
        renewed.expMonth,
        renewed.expYear,
        renewed.processorIdentity,
        renewed.model,
        renewed.savedBy,
        renewed.goneAt,
      ],
      scope: method,
    });
  }

  /** Marks a method that, according to the upstream, must not be charged again. @param at account time */
  async markGone(tenant: OfTenant, id: string, at: Date): Promise<void> {
    await this.#db.query({
      name: 'mark_payment_method_gone',
      text: `update payment_methods set gone_at = $3
             where tenant = $1 and id = $2 and gone_at is null`,
      values: [tenant.tenant, id, at],
      scope: tenant,
    });
  }

  /**
   * Removes a method here, and records the intent to have the upstream remove it too.
   * @returns undefined if there is none
   */
  async remove(
    tenant: OfTenant,
    request: {
      readonly id: string;
      /** The customer to whom it has to belong; null: any. */
      readonly customerId: string | null;
      readonly upstreamKey: string;
      readonly lease: Lease;
      /** Account time. */
      readonly at: Date;
    },
  ): Promise<PaymentMethodRow | undefined> {
    const [row] = await this.#db.query<PaymentMethodRow>({
      name: 'remove_payment_method',
      text: `with removed as (
               update payment_methods set removed_at = $4
               where tenant = $1 and id = $2 and ($3::text is null or customer_id = $3)
                 and removed_at is null
               returning *),
             asked as (
               select tenant, id, $5::text as upstream_key, $6::bigint as lease_owner,
                 $7::timestamptz as lease_until, $4::timestamptz as created_at
               from removed),
             ${insertOperations(cte('asked', { ...keyColumns, created_at: time, ...intentColumns }), `'remove'`)}
             select ${columns} from removed`,
      values: [
        tenant.tenant,
        request.id,
        request.customerId,
        request.at,
        request.upstreamKey,
        request.lease.owner,
        request.lease.until,
      ],
      scope: tenant,
    });
    return row;
  }

  /** Whether another method that is not removed has the same token. */
  async isTokenShared(method: PaymentMethodRow): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'is_payment_method_token_shared',
      text: `select 1 from payment_methods m join payment_methods o
               on o.tenant = m.tenant and o.token_name = m.token_name
                 and o.id <> m.id and o.removed_at is null
             where m.tenant = $1 and m.id = $2`,
      values: [method.tenant, method.id],
      scope: method,
    });
    return rows.length > 0;
  }
}
