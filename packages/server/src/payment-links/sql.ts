import { type Cte, int, type KeyColumn, nullable, text } from '../store/columns.ts';

/** The constraint that refuses a second attempt with the same form. */
export const oneAttemptPerForm = 'payment_link_attempts_once';

/** Input columns of the statement that begins a payment of a link: hashes of form, browser and network, in hex. */
export const attemptColumns = { visit: text, browser: nullable(text), network: nullable(text) } as const;

type Begun = KeyColumn | 'payment_link_id' | 'created_at';

/**
 * CTE `link_locked` that locks the links of some rows before anything else: every commit of a payment takes its locks in this
 * order.
 * @param condition SQL on a row `i` for whether the statement locks anything else for it
 */
export const lockLinks = ({ name }: Cte<Begun>, condition: string): string => `link_locked as materialized (
    select l.id from payment_links l join ${name} i on i.tenant = l.tenant and i.payment_link_id = l.id
    where ${condition} for no key update of l)`;

/**
 * CTEs that take a place of each row's link, and leave in `admitted` the rows whose link is active and had one left. The update
 * locks the row of the link, so each of several concurrent buyers sees the places that the ones before took, whatever the
 * statement's snapshot.
 */
export const reserveLinkPlaces = ({ name }: Cte<Begun | keyof typeof attemptColumns>): string => `placed as (
    update payment_links l set open_count = l.open_count + 1 from ${name} i
    where l.tenant = i.tenant and l.id = i.payment_link_id and l.is_on
      and (l.expires_at is null or l.expires_at > i.created_at)
      and (l.max_payments is null or l.payments_count + l.open_count < l.max_payments)
    returning l.tenant, l.id),
  admitted as (select i.* from ${name} i join placed p on p.tenant = i.tenant and p.id = i.payment_link_id),
  attempted as (
    insert into payment_link_attempts (tenant, link_id, visit_sha256, browser_sha256, network, payment_id, created_at)
    select tenant, payment_link_id, decode(visit, 'hex'), decode(browser, 'hex'), decode(network, 'hex'), id, created_at
    from admitted)`;

/** By how much a change of a payment's status changes the counts of its link. */
export const countColumns = { link_open: int, link_paid: int } as const;

/** CTE `counted` that adds the changes of a CTE's payments to the counts of their links. */
export const countPayments = ({
  name,
}: Cte<KeyColumn | 'payment_link_id' | 'amount' | keyof typeof countColumns>): string => `counted as (
    update payment_links l set open_count = l.open_count + i.link_open,
      payments_count = l.payments_count + i.link_paid, payments_amount = l.payments_amount + i.link_paid * i.amount
    from ${name} i where l.tenant = i.tenant and l.id = i.payment_link_id
    returning l.id)`;

/** CTE that gives back the place of a payment that charged nothing. @param link SQL for the id of its link, which may be null */
export const releaseLinkPlace = ({ name }: Cte<KeyColumn>, link: string): string => `place_given_back as (
    update payment_links l set open_count = l.open_count - 1 from ${name} i
    where l.tenant = i.tenant and l.id = ${link}
    returning l.id)`;
