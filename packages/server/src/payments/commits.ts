import { keepCustomers } from '../customers/keep-customers.ts';
import { insertCustomers, newCustomerColumns } from '../customers/store.ts';
import { eventColumns, insertEvents } from '../events/events.ts';
import { answerColumns, claimColumns, claimKeys, storeAnswers } from '../idempotency/claims.ts';
import {
  convertOperations,
  endOperations,
  insertDrafts,
  intentColumns,
  lockDrafts,
} from '../operations/sql.ts';
import { alertColumns, insertAlerts } from '../payment-alerts/store.ts';
import {
  attemptColumns,
  countColumns,
  countPayments,
  lockLinks,
  reserveLinkPlaces,
} from '../payment-links/sql.ts';
import { insertPaymentMethods, type NewPaymentMethod } from '../payment-methods/store.ts';
import {
  assigned,
  bigint,
  type Columns,
  cte,
  int,
  type JsonText,
  json,
  keyColumns,
  listOf,
  nullable,
  rowsOfJson,
  text,
  time,
  typesOf,
} from '../store/columns.ts';
import { numbered } from '../store/sql.ts';
import { completeAuditEntriesWithStatus } from '../users/audit/audited-requests.ts';
import { answeredColumns, paymentColumns } from './payment.ts';

const columns = listOf(paymentColumns);

/** Input columns of commit 1. */
export const intentInput = {
  n: int,
  ...keyColumns,
  created_at: time,
  customer_id: nullable(text),
  payment_method_id: nullable(text),
  draft: json<JsonText>(),
  request: json<object>(),
  ...intentColumns,
  new_customer: nullable(json<object>()),
  ...claimColumns,
} as const;
const fresh = cte('fresh', intentInput);
const drafts = cte('drafts', { ...intentInput, seq: bigint });
const customersIn = cte('customers_in', {
  seq: bigint,
  ...keyColumns,
  ...newCustomerColumns,
  created_at: time,
});

const insertNewCustomers = `new_customers as (
    select f.n, f.tenant, f.created_at, c.*
    from fresh f cross join json_to_record(f.new_customer) as c (id text, ${typesOf(newCustomerColumns)})
    where f.new_customer is not null),
  ${numbered(customersIn.name, 'customers', cte('new_customers', { n: int, ...keyColumns }))},
  customers_done as (${insertCustomers(customersIn, 'with_payment')}),`;

const namesCustomer = 'i.customer_id is not null and i.new_customer is null';
/** SQL for whether the customer of a row is kept; it reads the CTE of `keepCustomers`. */
const isCustomerKept = `(not (${namesCustomer}) or exists (
      select from kept k where k.tenant = i.tenant and k.id = i.customer_id))`;

const sentInput = `input as (select * from ${rowsOfJson(intentInput)})`;

/**
 * @param customers which payments the batch has: `none` has a customer; `named`: some name an existing one; `new`: some also
 *   create one
 * @param input CTEs that leave in `input` the payments that may begin
 */
const beginSql = (
  customers: 'none' | 'named' | 'new',
  input = customers === 'none'
    ? sentInput
    : `${sentInput},\n  ${keepCustomers(cte('input', intentInput), namesCustomer)}`,
) => `with ${input},
  -- Since the request was checked, its saved method may have been removed, or its customer discarded together with another
  -- payment. Then the payment does not begin, and the request is checked again.
  chargeable as (
    select i.* from input i where (i.payment_method_id is null or exists (
      select from payment_methods m
      where m.tenant = i.tenant and m.id = i.payment_method_id
        and m.removed_at is null))
    ${customers === 'none' ? '' : `and ${isCustomerKept}`}),
  ${claimKeys(cte('chargeable', intentInput))},
  ${customers === 'new' ? insertNewCustomers : ''}
  ${numbered(drafts.name, 'payments', fresh)},
  ${insertDrafts(drafts, "'charge'")}
  select subject as id from operations_begun`;

/** Commit 1. For payments without a customer the statement does not read the table of customers. */
export const beginStatement = { name: 'begin_payments', generic: true, text: beginSql('none') };
export const beginOfCustomers = {
  name: 'begin_payments_of_customers',
  generic: true,
  text: beginSql('named'),
};
export const beginWithCustomers = {
  name: 'begin_payments_with_customers',
  generic: true,
  text: beginSql('new'),
};

/** Input columns of commit 1 if a buyer pays with a link. */
export const linkIntentInput = {
  ...intentInput,
  payment_link_id: nullable(text),
  ...attemptColumns,
} as const;
const sent = cte('sent', linkIntentInput);
export const beginOfLink = {
  name: 'begin_payments_of_links',
  generic: true,
  text: beginSql(
    'new',
    `${sent.name} as (select * from ${rowsOfJson(linkIntentInput)}),
  ${lockLinks(sent, namesCustomer)},
  held as materialized (select s.* from ${sent.name} s cross join (select count(*) from link_locked) l),
  ${keepCustomers(cte('held', linkIntentInput), namesCustomer)},
  -- Only payments that may begin take a place of their link.
  possible as (select i.* from held i where ${isCustomerKept}),
  ${reserveLinkPlaces(cte('possible', linkIntentInput))},
  input as (select * from admitted)`,
  ),
};

/** Input columns of commit 2 beside those of the payment. */
const settlementColumns = {
  n: int,
  settled_at: time,
  new_method: nullable(json<NewPaymentMethod>()),
  gone_method: nullable(text),
  checkout_token: nullable(text),
  cancel_key: nullable(text),
  ...alertColumns,
  ...answerColumns,
  ...eventColumns,
} as const;
/** Input columns of commit 2 if it inserts the payment with its first answer. */
export const firstInput = { ...paymentColumns, ...settlementColumns } as const;
/** Input columns of commit 2 if the payment exists already. */
export const changeInput = {
  ...keyColumns,
  version: int,
  ...answeredColumns,
  payment_method_id: nullable(text),
  ...settlementColumns,
} as const;
export const firstOfLink = { ...firstInput, ...countColumns } as const;
export const changeOfLink = {
  ...changeInput,
  payment_link_id: nullable(text),
  amount: bigint,
  ...countColumns,
} as const;
const won = cte('won', changeInput);
const input = cte('input', keyColumns);

const countEvent = (count: string) => `${count} + case when i.event_id is null then 0 else 1 end`;

/** Updates the counts of the links. Every commit locks the row of the link before the counter of events, in this order. */
const countLinks = `${countPayments(cte('written', changeOfLink))},
  won as (select w.* from written w cross join (select count(*) from counted) c)`;

/**
 * CTEs that insert the payments of `input` with their first answer. A draft that another commit has answered first is left out.
 * @param written name of the CTE that gets the rows that were written
 */
const insertPayments = (written: string) => `${lockDrafts('locked', input)},
  settled as (
    insert into payments (seq, request, ${columns})
    select d.seq, d.request, ${listOf(paymentColumns, 'i', { event_count: countEvent('i.event_count') })}
    from input i join locked d on d.tenant = i.tenant and d.id = i.id
    returning tenant, id),
  ${written} as (select i.* from input i join settled s on s.tenant = i.tenant and s.id = i.id)`;

/** CTEs that change payments, unless they have another version by now. @param written name of the CTE with the written rows */
const updatePayments = (written: string) => `settled as (
    update payments p set ${assigned(answeredColumns, 'i')}, version = p.version + 1,
      event_count = ${countEvent('p.event_count')},
      payment_method_id = coalesce(i.payment_method_id, p.payment_method_id)
    from input i
    where p.tenant = i.tenant and p.id = i.id and p.version = i.version
    returning i.n),
  ${written} as (select i.* from input i join settled s on s.n = i.n)`;

const auditOfWon = completeAuditEntriesWithStatus(won);

/** CTEs for what only few commits write: cancellations, saved methods, tokens of the hosted page, alerts. */
const rareWrites = `${endOperations(won, 's.cancel_key is null')},
  ${convertOperations(won, { kind: "'cancel'", key: 's.cancel_key', condition: 's.cancel_key is not null' })},
  methods_done as (${insertPaymentMethods(won)}),
  -- If a later payment saved the method again, the refusal does not apply to it any more.
  gone_done as (
    update payment_methods m set gone_at = w.settled_at from won w
    where m.tenant = w.tenant and m.id = w.gone_method and m.gone_at is null and m.saved_by collate "C" < w.id),
  tokens_done as (
    insert into checkout_tokens (tenant, token_sha256, payment_id, created_at)
    select tenant, decode(checkout_token, 'hex'), id, settled_at from won
    where checkout_token is not null
    on conflict (tenant, token_sha256) do nothing),
  ${insertAlerts(won, 'settled_at')}`;

/**
 * @param payments CTEs that write the payments and leave in `won` the rows that were written
 * @param operations CTEs that end the operations of `won` and write what else belongs to the commit
 */
const settleSql = (columnsOfInput: Columns, payments: string, operations: string) => `with input as (
    select * from ${rowsOfJson(columnsOfInput)}),
  ${payments},
  ${operations},
  ${insertEvents(won)},
  ${storeAnswers(won)}
  select n, exists (select from deliveries_in d where d.event_id = won.event_id) as has_deliveries from won`;

/** Commit 2. At each run PostgreSQL prepares every table that a statement names, so most commits use `plain`, which names few. */
export const firstStatements = {
  plain: {
    name: 'insert_payments',
    generic: true,
    text: settleSql(firstInput, insertPayments('won'), endOperations(won)),
  },
  full: {
    name: 'insert_payments_and_more',
    generic: true,
    text: settleSql(firstInput, insertPayments('won'), rareWrites),
  },
  ofLink: {
    name: 'insert_payments_of_links',
    generic: true,
    text: settleSql(firstOfLink, `${insertPayments('written')},\n  ${countLinks}`, rareWrites),
  },
};
export const changeStatements = {
  plain: {
    name: 'settle_payments',
    generic: true,
    text: settleSql(changeInput, updatePayments('won'), `${auditOfWon},\n  ${endOperations(won)}`),
  },
  full: {
    name: 'settle_payments_and_more',
    generic: true,
    text: settleSql(changeInput, updatePayments('won'), `${auditOfWon},\n  ${rareWrites}`),
  },
  ofLink: {
    name: 'settle_payments_of_links',
    generic: true,
    text: settleSql(
      changeOfLink,
      `${updatePayments('written')},\n  ${countLinks}`,
      `${auditOfWon},\n  ${rareWrites}`,
    ),
  },
};
