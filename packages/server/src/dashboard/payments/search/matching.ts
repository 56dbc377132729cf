import { listLimits } from '@till/contract/dashboard';
import type { PaymentFilter, PaymentSort } from './filter.ts';
import type { SearchText, SearchWords } from './search-words.ts';
import type { Where } from './where.ts';

/** A part of the list by place: after `low`, up to and with `high`. */
export interface Places {
  readonly low: number;
  readonly high: number;
}

/** Orders of the payments `p`, and of rows with their `seq` and `amount`. */
export const orderOf = (sort: PaymentSort, alias = ''): string => {
  switch (sort) {
    case '-created':
      return `${alias}seq desc`;
    case 'created':
      return `${alias}seq`;
    case '-amount':
      return `${alias}amount desc, ${alias}seq desc`;
    case 'amount':
      return `${alias}amount, ${alias}seq desc`;
  }
};

/**
 * SQL of the places and amounts of the first payments that match, in order.
 * @param where with nothing but the tenant; its values are those of the statement
 * @param named the CTEs that it needs, each ended by a comma
 */
export function matching(
  where: Where,
  filter: PaymentFilter,
  places: Places,
  most: number,
): { readonly named: string; readonly sql: string } {
  where
    .add(`p.status <> 'processing'`)
    .oneOf('p.status', filter.statuses)
    .oneOf('p.method_type', filter.methods)
    .oneOf('p.brand', filter.brands)
    .oneOf('p.failure_code', filter.failureCodes)
    .is(filter.captureMethod, (p) => `p.capture_method = ${p}`)
    .is(filter.currency, (p) => `p.currency = ${p}`)
    .is(filter.amountFrom, (p) => `p.amount >= ${p}`)
    .is(filter.amountTo, (p) => `p.amount <= ${p}`)
    .is(filter.created.from, (p) => `p.created_at >= ${p}`)
    .is(filter.created.to, (p) => `p.created_at < ${p}`)
    .is(filter.customer, (p) => `p.customer_id = ${p}`)
    .is(places.low, (p) => `p.seq > ${p}`)
    .is(places.high, (p) => `p.seq <= ${p}`);
  const limit = where.value(most);
  const leg = (source: string, condition: string) =>
    `(select p.seq, p.amount from ${source} where p.tenant = $1${where.sql}${condition}
      order by ${orderOf(filter.sort, 'p.')} limit ${limit})`;
  if (filter.search === null) return { named: '', sql: leg('payments p', '') };
  const { named, legs } = searchSources(where, filter.search);
  return { named, sql: legs.map(([source, condition]) => leg(source, ` and ${condition}`)).join('\nunion ') };
}

type Leg = readonly [source: string, condition: string];

/** Where a search looks: each leg is answered by an index. */
function searchSources(where: Where, search: SearchWords): { named: string; legs: readonly Leg[] } {
  switch (search.kind) {
    case 'id':
      return { named: '', legs: [legOfId(search.of, where.value(search.id))] };
    case 'last4':
      return { named: '', legs: [['payments p', `p.last4 = ${where.value(search.last4)}`]] };
    case 'text': {
      const legs = textLegs(where, search.text);
      if (search.last4 !== null) legs.push(['payments p', `p.last4 = ${where.value(search.last4)}`]);
      return { named: namedCustomers(where, search.text), legs };
    }
  }
}

function legOfId(of: Extract<SearchWords, { kind: 'id' }>['of'], id: string): Leg {
  switch (of) {
    case 'payment':
      return ['payments p', `p.id = ${id}`];
    case 'customer':
      return ['payments p', `p.customer_id = ${id}`];
    case 'refund':
      return ['payments p', `p.id = (select payment_id from refunds where tenant = $1 and id = ${id})`];
    case 'dispute':
      return ['payments p', `p.id = (select payment_id from disputes where tenant = $1 and id = ${id})`];
    case 'method':
      return [
        'payments p',
        `p.payment_method_id = ${id} and p.customer_id = (select customer_id from payment_methods
           where tenant = $1 and id = ${id})`,
      ];
  }
}

/** What the words may be of the payment itself, its refunds, its disputes and its customer. */
function textLegs(where: Where, { exact, spellings }: SearchText): Leg[] {
  const text = where.value(exact);
  const ofTenant = (source: string) => `from ${source} where tenant = $1`;
  const upstream = ['capture', 'psp', 'order', 'authorization'].map(
    (kind): Leg => ['payments p', `p.upstream ->> '${kind}' = ${text}`],
  );
  const refunds = `select payment_id ${ofTenant('refunds')} and (upstream_id = ${text}
    or (metadata::text <> '{}' and ${hasValue('metadata', text)})) limit ${listLimits.countedRows}`;
  return [
    ...spellings.map((spelling): Leg => ['payments p', where.begins('p.reference', spelling)]),
    ...upstream,
    ['payments p', `p.id in (${refunds})`],
    ['payments p', `p.id in (select payment_id ${ofTenant('disputes')} and arn = ${text})`],
    ['named n join payments p on p.tenant = $1 and p.customer_id = n.id', 'true'],
  ];
}

/** SQL for "a value of this metadata is that text", in any case (migration 0011). */
export const hasValue = (metadata: string, text: string): string =>
  `metadata_terms(tenant, ${metadata}) @> array[md5($1::int || lower(${text}))]`;

/** The CTE `named`: customers that match, each kind of match up to a limit. */
function namedCustomers(where: Where, text: SearchText): string {
  return `named as materialized (${customersMatching(where, text, listLimits.searchedCustomers)}),`;
}

/** SQL of the ids of customers by what their e-mail address, name or external id begins with, or by their metadata. */
export function customersMatching(
  where: Where,
  { exact, spellings, folded }: SearchText,
  most: number,
): string {
  const limit = where.value(most);
  const word = where.value(exact);
  const lastName = String.raw`(lower(regexp_replace(name, '^.*\s', '')) collate "C")`;
  const conditions = [
    where.begins('email_folded', folded),
    `name is not null and ${where.begins('(lower(name) collate "C")', folded)}`,
    `name is not null and ${where.begins(lastName, folded)}`,
    ...spellings.map((spelling) => where.begins('external_id', spelling)),
    `metadata::text <> '{}' and ${hasValue('metadata', word)}`,
  ];
  return conditions
    .map((condition) => `(select id from customers where tenant = $1 and ${condition} limit ${limit})`)
    .join('\nunion ');
}
