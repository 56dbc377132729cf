/** The statements of the order store. */

// A request id without a response becomes free after 12 seconds, longer than the slowest response takes, so
// that a crash does not block it for ever.
const keepRequest = `
insert into sandbox.requests as request
  (merchant_account, idempotency_key, psp_reference, started_at, status, body)
select i.merchant_account, i.idempotency_key, i.owner, i.at, i.status, i.body
from incoming i
where i.idempotency_key is not null and (i.expected = 0 or exists (select from held where held.id = i.id))
order by i.merchant_account, i.idempotency_key
on conflict (merchant_account, idempotency_key) do update
  set psp_reference = excluded.psp_reference, started_at = excluded.started_at,
      status = excluded.status, body = excluded.body
  where request.psp_reference = excluded.psp_reference and request.status is null
    or request.started_at <= (select i.kept_since from incoming i where i.owner = excluded.psp_reference)
    or (request.status is null and request.started_at <= excluded.started_at - interval '12 seconds')
returning psp_reference`;

const incomingFrom = (before: string): string => `
select step.* from ${before}json_to_recordset($1::json) as step (
  merchant_account text, idempotency_key text, owner text, at timestamptz, kept_since timestamptz,
  status integer, body text,
  id text, expected integer, state jsonb, authorization_id text, capture_id text, paid_invoice text,
  reference text, psp_reference text, amount bigint, currency text, charge_status text,
  brand text, bin text, last4 text, expiry_month smallint, expiry_year smallint, received jsonb,
  token text, shopper text, customer_id text, facts jsonb, kept_from timestamptz, retired text,
  refunds json, dispute_id text, dispute jsonb, dispute_opened timestamptz, events json, withdrawn json
)`;

/**
 * The CTE with the steps in `$1`.
 * @param waits whether the commit waits for the disk
 */
const incomingSteps = (waits: boolean): string =>
  waits
    ? `incoming as (${incomingFrom('')})`
    : `async_commit as (select set_config('synchronous_commit', 'off', true)),
  incoming as (${incomingFrom('async_commit cross join ')})`;

/** Claims a request id for a slow operation. */
export const claimSql = (waits: boolean): string => `
with ${incomingSteps(waits)}, held as (select null::text as id where false), kept as (${keepRequest})
select psp_reference from kept`;

/** Releases a request id that was claimed for an operation which failed. */
export const releaseSql = `
delete from sandbox.requests
where merchant_account = $1 and idempotency_key = $2 and psp_reference = $3 and status is null`;

/**
 * Writes steps of orders, each with all its effects or not at all. `$1` has at most one step per order and
 * per request id. Locks the orders' rows first, so that the second of two concurrent changes finds an
 * outdated version.
 */
export const commitSql = (waits: boolean): string => `
with ${incomingSteps(waits)}, held as (
  select o.id from sandbox.orders o join incoming i on o.id = i.id and o.version = i.expected order by o.id for update of o
), kept as (${keepRequest}
), granted as (
  select i.* from incoming i
  where (i.expected = 0 or exists (select from held where held.id = i.id))
    and (i.idempotency_key is null or exists (select from kept where kept.psp_reference = i.owner))
), created as (
  insert into sandbox.orders (id, merchant_account, version, state, authorization_id, capture_id, paid_invoice)
  select id, merchant_account, 1, state, authorization_id, capture_id, paid_invoice
  from granted where expected = 0
), moved as (
  update sandbox.orders o
  set version = o.version + 1, state = g.state, authorization_id = g.authorization_id,
      capture_id = g.capture_id, paid_invoice = g.paid_invoice
  from granted g where o.id = g.id and g.expected > 0
), charged as (
  insert into sandbox.charges as charge
    (merchant_account, reference, psp_reference, amount, currency, status,
     brand, bin, last4, expiry_month, expiry_year, received, created_at)
  select merchant_account, reference, psp_reference, amount, currency, charge_status,
         brand, bin, last4, expiry_month, expiry_year, received, at
  from granted where charge_status is not null
  on conflict (merchant_account, reference, psp_reference) do update
    set status = excluded.status, amount = excluded.amount
), kept_instrument as (
  insert into sandbox.instruments (merchant_account, token, shopper, upstream_customer, facts, created_at)
  select merchant_account, token, shopper, customer_id, facts, kept_from from granted where token is not null
  on conflict do nothing
), retired_instrument as (
  update sandbox.instruments i set removed_at = g.at
  from granted g where i.merchant_account = g.merchant_account and i.token = g.retired and i.removed_at is null
), refunded as (
  insert into sandbox.refunds as refund
    (merchant_account, reference, payment_reference, upstream_id, amount, currency, status, received, created_at)
  select g.merchant_account, r.reference, g.reference, r.upstream_id, r.amount, r.currency, r.status, r.received,
         r.created_at
  from granted g, json_to_recordset(g.refunds) as r (reference text, upstream_id text, amount bigint, currency text,
    status text, received jsonb, created_at timestamptz)
  on conflict (merchant_account, upstream_id) do update set status = excluded.status
), disputed as (
  insert into sandbox.disputes
    (merchant_account, upstream_id, processor, payment_reference, version, state, created_at)
  select merchant_account, dispute_id, 'processor_b', reference, 1, dispute, dispute_opened
  from granted where dispute_id is not null
  on conflict do nothing
), withdrawn as (
  delete from sandbox.notifications n
  using granted g cross join lateral json_array_elements_text(g.withdrawn) as w (id)
    -- By key, whatever the statistics say: how many notifications wait changes faster than tables are analyzed.
    cross join lateral (
      select k.ctid from sandbox.notifications k
      where k.processor = 'processor_b' and k.merchant_account = g.merchant_account and k.id = w.id
      offset 0
    ) planned
  where n.ctid = planned.ctid and not n.sent
), announced as (
  insert into sandbox.notifications as known (processor, merchant_account, id, due_at, body, flaw)
  select 'processor_b', g.merchant_account, e.id, e.due_at, e.body, e.flaw
  from granted g, json_to_recordset(g.events) as e (id text, due_at timestamptz, body text, flaw text)
  on conflict (processor, merchant_account, id) do update set due_at = excluded.due_at, body = excluded.body
    where not known.sent and excluded.due_at < known.due_at
)
select i.owner, exists (select from granted g where g.owner = i.owner) as granted,
  i.expected > 0 and not exists (select from held where held.id = i.id) as stale
from incoming i`;

const findSql = (column: string): string => `
select asked.n, o.version, o.state, r.status, r.body, r.psp_reference as owner
from json_to_recordset($1::json) as asked
  (n integer, merchant_account text, id text, idempotency_key text, kept_since timestamptz, at timestamptz)
left join sandbox.orders o on o.merchant_account = asked.merchant_account and o.${column} = asked.id
left join sandbox.requests r
  on r.merchant_account = asked.merchant_account and r.idempotency_key = asked.idempotency_key
  and r.started_at > asked.kept_since and (r.status is not null or r.started_at > asked.at - interval '12 seconds')`;

/** Reads orders of accounts, by each of the orders' ids, with the earlier responses to their request ids. */
export const findSqls = {
  id: findSql('id'),
  authorization_id: findSql('authorization_id'),
  capture_id: findSql('capture_id'),
};

/** Reads orders of any account. */
export const readSql = 'select id, version, state from sandbox.orders where id = any($1)';
