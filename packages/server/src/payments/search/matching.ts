import { listLimits } from '@till/contract/dashboard';
import { customersMatching } from '../../customers/search.ts';
import type { SearchText, SearchWords } from '../../customers/search-words.ts';
import { customerOfMethod } from '../../payment-methods/sql.ts';
import type { Conditions } from '../../store/list.ts';
import type { PaymentFilter, PaymentSort } from './filter.ts';
import type { Places } from './places.ts';
import { readAmounts } from './read-amounts.ts';

/** SQL for the payments of refunds and disputes, found by an id or by a text. `$1` is the tenant. */
export interface RelatedPayments {
  readonly ofRefund: (id: string) => string;
  readonly ofDispute: (id: string) => string;
  readonly ofRefundsWith: (text: string) => string;
  readonly ofDisputesWith: (text: string) => string;
}

/** Which payments are shown. */
export interface PaymentView {
  readonly filter: PaymentFilter;
  readonly related: RelatedPayments;
}

/** SQL for the order of payments, or of rows with their `seq` and `amount`. @param alias of the row, with its dot */
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
 * SQL for the places and amounts of the first `max` payments that match, in order.
 * @param where conditions that so far have only the tenant; its values become those of the statement
 * @returns the SQL, and in `named` the CTEs that it needs, each followed by a comma
 */
export function matching(
  where: Conditions,
  { filter, related }: PaymentView,
  places: Places,
  max: number,
): { readonly named: string; readonly sql: string } {
  where
    .oneOf('p.status', filter.statuses)
    .oneOf('p.method_type', filter.methods)
    .oneOf('p.brand', filter.brands)
    .oneOf('p.failure_code', filter.failureCodes)
    .add((p) => `p.capture_method = ${p}`, filter.captureMethod)
    .add((p) => `p.currency = ${p}`, filter.currency)
    .add((p) => `p.amount >= ${p}`, filter.amountFrom)
    .add((p) => `p.amount <= ${p}`, filter.amountTo)
    .add((p) => `p.created_at >= ${p}`, filter.created.from)
    .add((p) => `p.created_at < ${p}`, filter.created.to)
    .add((p) => `p.customer_id = ${p}`, filter.customer)
    .add((p) => `p.payment_link_id = ${p}`, filter.link)
    .add((p) => `p.seq > ${p}`, places.low)
    .add((p) => `p.seq <= ${p}`, places.high);
  const limit = where.value(max);
  const leg = (source: string, condition: string) =>
    `(select p.seq, p.amount from ${source} where ${where.sql}${condition}
      order by ${orderOf(filter.sort, 'p.')} limit ${limit})`;
  if (filter.search === null) return { named: '', sql: leg('payments p', '') };
  const { named, legs } = searchSources(where, filter.search, related, places);
  return { named, sql: legs.map(([source, condition]) => leg(source, ` and ${condition}`)).join('\nunion ') };
}

type Leg = readonly [source: string, condition: string];

/** The queries of a search, one for each place where the words may be found. An index answers each of them. */
function searchSources(
  where: Conditions,
  search: SearchWords,
  related: RelatedPayments,
  places: Places,
): { named: string; legs: readonly Leg[] } {
  switch (search.kind) {
    case 'id':
      return { named: '', legs: [['payments p', conditionOfId(search.of, where.value(search.id), related)]] };
    case 'last4':
      return { named: '', legs: [['payments p', `p.last4 = ${where.value(search.last4)}`]] };
    case 'text': {
      const legs = textLegs(where, search.text, related);
      if (search.last4 !== null) legs.push(['payments p', `p.last4 = ${where.value(search.last4)}`]);
      legs.push(...amountLegs(where, search.text.exact, places));
      return { named: namedCustomers(where, search.text), legs };
    }
  }
}

function conditionOfId(
  of: Extract<SearchWords, { kind: 'id' }>['of'],
  id: string,
  related: RelatedPayments,
): string {
  switch (of) {
    case 'payment':
      return `p.id = ${id}`;
    case 'customer':
      return `p.customer_id = ${id}`;
    case 'refund':
      return `p.id = (${related.ofRefund(id)})`;
    case 'dispute':
      return `p.id = (${related.ofDispute(id)})`;
    case 'method':
      return `p.payment_method_id = ${id} and p.customer_id = (${customerOfMethod(id)})`;
  }
}

/** Matches the words with texts of the payment itself, of its refunds, its disputes and its customer. */
function textLegs(where: Conditions, { exact, spellings }: SearchText, related: RelatedPayments): Leg[] {
  const text = where.value(exact);
  const upstream = ['capture', 'psp', 'order', 'authorization'].map(
    (kind): Leg => ['payments p', `p.upstream ->> '${kind}' = ${text}`],
  );
  return [
    ...spellings.map((spelling): Leg => ['payments p', where.begins('p.reference', spelling)]),
    ...upstream,
    ['payments p', `p.network_transaction_reference = ${text}`],
    ['payments p', `p.id in (${related.ofRefundsWith(text)})`],
    ['payments p', `p.id in (${related.ofDisputesWith(text)})`],
    ['named n join payments p on p.tenant = $1 and p.customer_id = n.id', 'true'],
  ];
}

/**
 * Matches payments by amount, if the words may be one. No index on amounts exists, so only the newest payments are scanned, by
 * the index on their places.
 */
function amountLegs(where: Conditions, words: string, places: Places): Leg[] {
  const conditions = readAmounts(words).map(
    ({ amount, currencies }) =>
      `p.amount = ${where.value(amount)} and p.currency = any(${where.value(currencies)})`,
  );
  if (conditions.length === 0) return [];
  const newest = `p.seq > ${where.value(amountsFrom(places))}`;
  return [['payments p', `${newest} and (${conditions.join(' or ')})`]];
}

const amountsFrom = ({ low, high }: Places): number => Math.max(low, high - listLimits.searchedRows);

/** The place after which a search covers everything: the start of the range, except for an amount in a long list. */
export const searchedFrom = (search: SearchWords | null, places: Places): number =>
  search?.kind === 'text' && readAmounts(search.text.exact).length > 0 ? amountsFrom(places) : places.low;

/** The CTE `named`: customers that match, up to a limit for each kind of match. */
function namedCustomers(where: Conditions, text: SearchText): string {
  return `named as materialized (${customersMatching(where, text, listLimits.searchedCustomers)}),`;
}
