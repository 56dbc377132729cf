import type { Address, CustomerCreate, CustomerListQuery } from '@till/contract';
import { type Claim, claimColumns, claimInput, claimKeys } from '../idempotency/claims.ts';
import { placeOfPage } from '../lib/list.ts';
import { Batcher } from '../store/batcher.ts';
import {
  bigint,
  bool,
  type Cte,
  cte,
  int,
  json,
  keyColumns,
  listOf,
  nullable,
  type RowOf,
  rowsOfJson,
  text,
  time,
  without,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { foundRows, type ListedRow, numberedPage } from '../store/list.ts';
import { numbered, parameterRows } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { foldEmail } from './rules.ts';

const customerColumns = {
  ...keyColumns,
  email: text,
  name: nullable(text),
  phone: nullable(text),
  locale: nullable(text),
  external_id: nullable(text),
  billing_address: nullable(json<Address>()),
  delivery_address: nullable(json<Address>()),
  date_of_birth: nullable(text),
  metadata: json<Record<string, string>>(),
  /** A payment link created it for anyone who typed the address, and its merchant has neither changed nor used it since. */
  of_links: bool,
  created_at: time,
} as const;

/** A customer as the database keeps it. */
export type CustomerRow = RowOf<typeof customerColumns>;

const columns = listOf(customerColumns);

/** A customer as the create request describes it. @param ofLinks whether a payment link creates it */
export function newCustomerRow(
  tenant: Tenant,
  id: string,
  fields: CustomerCreate,
  createdAt: Date,
  ofLinks = false,
): CustomerRow {
  return {
    tenant: tenant.tenant,
    id,
    email: fields.email.trim(),
    name: fields.name ?? null,
    phone: fields.phone ?? null,
    locale: fields.locale ?? null,
    external_id: fields.external_id ?? null,
    billing_address: fields.billing_address ?? null,
    delivery_address: fields.delivery_address ?? null,
    date_of_birth: fields.date_of_birth ?? null,
    metadata: fields.metadata ?? {},
    of_links: ofLinks,
    created_at: createdAt,
  };
}

/** The columns of a new customer except the key columns and the time. */
export const newCustomerColumns = {
  ...without(customerColumns, 'tenant', 'id', 'created_at'),
  email_folded: text,
} as const;

/** A new customer, as a row of a statement's input. */
export const customerInput = (customer: CustomerRow): RowOf<typeof insertedColumns> => ({
  ...customer,
  email_folded: foldEmail(customer.email),
});

export const insertedColumns = { ...customerColumns, ...newCustomerColumns } as const;

/** Inserts the rows of a CTE. @param comes `with_payment`: they are discarded with their payment unless something keeps them */
export const insertCustomers = (
  source: Cte<'seq' | keyof typeof insertedColumns>,
  comes: 'alone' | 'with_payment',
): string =>
  `insert into customers (seq, is_kept, ${listOf(insertedColumns)})
   select seq, ${comes === 'alone'}, ${listOf(insertedColumns)} from ${source.name}`;

const inputColumns = { n: int, ...insertedColumns, ...claimColumns, answer: text } as const;

interface NewCustomer {
  readonly customer: CustomerRow;
  readonly claim: Claim | null;
  /** Text of the answer. It is stored with the customer if the request has an idempotency key. */
  readonly answer: string;
}

/** The fields that an update may name. */
export const changeableFields = [
  'email',
  'name',
  'phone',
  'locale',
  'external_id',
  'billing_address',
  'delivery_address',
  'date_of_birth',
  'metadata',
] as const;

const changed = changeableFields
  .map(
    (name, n) =>
      `${name} = case when '${name}' = any ($13::text[]) then $${n === 0 ? 3 : n + 4} else ${name} end`,
  )
  .join(', ');
const updateSql = `update customers set ${changed}, is_kept = true, of_links = false, email_folded = case when 'email' = any ($13::text[]) then $4 else email_folded end
  where tenant = $1 and id = $2 and discarded_at is null returning ${columns}`;

/** SQL that sets apart the customers that are not shown: each was created with a payment that was discarded. */
export const discardedCustomers = {
  numbers: 'select seq from customers where tenant = $1 and discarded_at is not null',
  shown: 'discarded_at is null',
} as const;

const listStatement = {
  name: 'list_customers',
  generic: true,
  text: numberedPage({
    list: 'customers',
    table: 'customers',
    columns: `${columns}, seq`,
    hidden: discardedCustomers,
  }),
};

/** All SQL on customers. */
export class CustomerStore {
  readonly #db: Database;
  readonly #insert: Batcher<NewCustomer, boolean>;
  readonly #find: Batcher<Pick<CustomerRow, 'tenant' | 'id'>, CustomerRow | undefined>;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = new Batcher((rows) => this.#insertAll(rows), {
      keyOf: ({ customer, claim }) => JSON.stringify([customer.tenant, claim?.key ?? customer.id]),
    });
    this.#find = new Batcher<Pick<CustomerRow, 'tenant' | 'id'>, CustomerRow | undefined>(async (keys) => {
      const rows = await db.query<CustomerRow & { n: number }>({
        name: 'find_customers',
        text: `select s.n::int, ${columns} from ${parameterRows('int', 'text')}
                 with ordinality as s (tenant, id, n) join customers using (tenant, id)
               where discarded_at is null`,
        values: [keys.map((key) => key.tenant), keys.map((key) => key.id)],
        scope: keys,
      });
      // `n`, the place in this batch, must not stay on the row: another batch would mistake it for a place of its own.
      const found = new Map(rows.map(({ n, ...row }) => [n, row]));
      return keys.map((_key, index) => found.get(index + 1));
    });
  }

  /**
   * Inserts a customer with its claim and stored answer in one commit; false if another request claimed the key.
   * @throws a database error naming `customers_email_taken` or `customers_external_id_taken`
   */
  insert(row: NewCustomer): Promise<boolean> {
    return this.#insert.submit(row);
  }

  async #insertAll(rows: readonly NewCustomer[]): Promise<boolean[]> {
    const input = rows.map(
      ({ customer, claim, answer }, n): RowOf<typeof inputColumns> => ({
        ...customerInput(customer),
        n,
        ...claimInput(claim),
        answer,
      }),
    );
    const inserted = await this.#db.query<{ id: string }>({
      name: 'insert_customers',
      text: `with input as (select * from ${rowsOfJson(inputColumns)}),
        ${claimKeys(cte('input', inputColumns), { state: `'done'`, status: '201', body: 'answer' })},
        ${numbered('customers_in', 'customers', cte('fresh', inputColumns))}
        ${insertCustomers(cte('customers_in', { seq: bigint, ...inputColumns }), 'alone')} returning id`,
      values: [JSON.stringify(input)],
      scope: input,
    });
    const ids = new Set(inserted.map((row) => row.id));
    return rows.map(({ customer }) => ids.has(customer.id));
  }

  find(tenant: Tenant, id: string): Promise<CustomerRow | undefined> {
    return this.#find.submit({ tenant: tenant.tenant, id });
  }

  /** Id of the customer of the same tenant who has this customer's e-mail address; undefined if nobody has it any more. */
  async idByEmail(customer: CustomerRow): Promise<string | undefined> {
    const [row] = await this.#db.query<{ id: string }>({
      name: 'customer_id_by_email',
      text: 'select id from customers where tenant = $1 and email_folded = $2',
      values: [customer.tenant, foldEmail(customer.email)],
      scope: customer,
    });
    return row?.id;
  }

  /** Id of the customer of the same tenant who has this customer's `external_id`; undefined if nobody has it any more. */
  async idByExternalId(customer: CustomerRow): Promise<string | undefined> {
    const [row] = await this.#db.query<{ id: string }>({
      name: 'customer_id_by_external_id',
      text: 'select id from customers where tenant = $1 and external_id = $2',
      values: [customer.tenant, customer.external_id],
      scope: customer,
    });
    return row?.id;
  }

  /**
   * Replaces only the named fields, so that concurrent changes of other fields stay.
   * @returns the customer after the change; undefined for an unknown one @throws as `insert`
   */
  async update(
    customer: CustomerRow,
    named: readonly (typeof changeableFields)[number][],
  ): Promise<CustomerRow | undefined> {
    const [row] = await this.#db.query<CustomerRow>({
      name: 'update_customer',
      text: updateSql,
      values: [
        customer.tenant,
        customer.id,
        customer.email,
        foldEmail(customer.email),
        customer.name,
        customer.phone,
        customer.locale,
        customer.external_id,
        customer.billing_address && JSON.stringify(customer.billing_address),
        customer.delivery_address && JSON.stringify(customer.delivery_address),
        customer.date_of_birth,
        JSON.stringify(customer.metadata),
        named,
      ],
      scope: customer,
    });
    return row;
  }

  /** Makes a customer the merchant's own that a payment link created, because the merchant uses it. */
  async takeFromLinks({ tenant, id, of_links: ofLinks }: CustomerRow): Promise<void> {
    if (!ofLinks) return;
    await this.#db.query({
      name: 'take_customer_from_links',
      text: 'update customers set of_links = false where tenant = $1 and id = $2',
      values: [tenant, id],
      scope: { tenant },
    });
  }

  /** One page, newest first, with the total number. */
  async list(tenant: Tenant, query: CustomerListQuery): Promise<{ rows: CustomerRow[]; total: number }> {
    if (query.email !== undefined) {
      const rows = await this.#db.query<CustomerRow>({
        name: 'list_customers_by_email',
        text: `select ${columns} from customers where tenant = $1 and email_folded = $2`,
        values: [tenant.tenant, foldEmail(query.email)],
        scope: tenant,
      });
      return { rows: query.page === 1 ? rows : [], total: rows.length };
    }
    const { offset, perPage } = placeOfPage(query);
    return foundRows(
      await this.#db.query<ListedRow<CustomerRow>>({
        ...listStatement,
        values: [tenant.tenant, offset, perPage],
        scope: tenant,
      }),
    );
  }
}
