import { type Cte, int, type KeyColumn, nullable, text } from '../store/columns.ts';

/** Constraint that a second attempt of the same form breaks. */
export const oneAttemptPerForm = 'payment_link_attempts_once';

/** Columns of the statement that begins a payment of a link: the hashes of form, browser and network, in hex. */
export const attemptColumns = { visit: text, browser: nullable(text), network: nullable(text) } as const;

type Begun = KeyColumn | 'payment_link_id' | 'created_at';

/**
 * CTE `link_locked` that locks the links of rows ahead of what else they lock, as every commit of a payment does it.
 * @param condition SQL on a row `i` for whether it locks anything else
 */
export const lockLinks = ({ name }: Cte<Begun>, condition: string): string => `link_locked as materialized (
    select l.id from payment_links l join ${name} i on i.tenant = l.tenant and i.payment_link_id = l.id
    where ${condition} for no key update of l)`;

/**
 * CTEs that take a place of the link of each row, and leave in `admitted` the rows whose link is open and has one. The row of
 * the link is locked by it: of buyers at the same moment each sees what the ones before took, whatever the statement's snapshot.
 */
export const takePlaces = ({ name }: Cte<Begun | keyof typeof attemptColumns>): string => `placed as (
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

/** What a change of a payment's status changes of its link's counts. */
export const countColumns = { link_open: int, link_paid: int } as const;

/** CTE `counted` that counts what became of the payments in a CTE. */
export const countPayments = ({
  name,
}: Cte<KeyColumn | 'payment_link_id' | 'amount' | keyof typeof countColumns>): string => `counted as (
    update payment_links l set open_count = l.open_count + i.link_open,
      payments_count = l.payments_count + i.link_paid, payments_amount = l.payments_amount + i.link_paid * i.amount
    from ${name} i where l.tenant = i.tenant and l.id = i.payment_link_id
    returning l.id)`;

/** CTE that gives back the place of a payment that charged nothing. @param link SQL of its link's id, or null */
export const givePlaceBack = ({ name }: Cte<KeyColumn>, link: string): string => `place_given_back as (
    update payment_links l set open_count = l.open_count - 1 from ${name} i
    where l.tenant = i.tenant and l.id = ${link}
    returning l.id)`;
