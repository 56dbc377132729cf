-- One table for every effect that a processor is asked for, of payments, refunds, disputes and saved methods. It holds only
-- what is open: a row is inserted with the intent and deleted with the answer.
alter table operations rename to operations_of_payments;
alter index operations_pkey rename to operations_of_payments_pkey;
drop index operations_due;
drop index operations_leased;

create table operations (
  account_id text not null,
  livemode boolean not null,
  -- Id of the payment, refund, dispute or saved method that it changes: at most one operation of each is open.
  subject text not null,
  kind text not null constraint operations_kind_check check (kind in (
    'charge', 'confirm', 'capture', 'void', 'expire', 'cancel', 'refund', 'track_refund', 'settle_refund', 'accept', 'defend', 'conclude', 'remove')),
  -- The idempotency key at the processor.
  upstream_key text not null check (length(upstream_key) <= 64),
  -- intent: somebody works on it until the lease ends; unknown: no definite answer came, recovery or a repeat asks again.
  state text not null check (state in ('intent', 'unknown')),
  tries int not null default 0,
  -- A process that lives holds an advisory lock under this number. Real time.
  lease_owner bigint not null,
  lease_until timestamptz not null,
  -- Real time at which recovery looks at it next.
  next_try_at timestamptz not null,
  -- Account time.
  created_at timestamptz not null,
  -- No foreign keys: an operation is only ever inserted by the statement that names its subject.
  primary key (account_id, livemode, subject)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index operations_due on operations (account_id, livemode, next_try_at);
create index operations_leased on operations (lease_owner) where state = 'intent';

alter table operations enable row level security;
create policy own_rows on operations using (account_id = any (
  case when livemode then (select current_setting('till.live')::text[]) else (select current_setting('till.test')::text[]) end));

insert into operations (account_id, livemode, subject, kind, upstream_key, state, tries, lease_owner, lease_until, next_try_at,
  created_at)
select account_id, livemode, payment_id, kind, upstream_key, state, tries, lease_owner, lease_until, next_try_at, created_at
from operations_of_payments where state <> 'settled';
drop table operations_of_payments;

-- What of a refund has not been answered yet, or has not ended.
insert into operations (account_id, livemode, subject, kind, upstream_key, state, tries, lease_owner, lease_until, next_try_at,
  created_at)
select account_id, livemode, id,
  case when asked <> 'answered' then 'refund' when done_upstream then 'settle_refund' else 'track_refund' end,
  id, case asked when 'intent' then 'intent' else 'unknown' end, tries, lease_owner, lease_until, next_try_at, created_at
from refunds where status = 'pending';
alter table refunds drop column asked, drop column done_upstream, drop column lease_owner, drop column lease_until,
  drop column tries, drop column next_try_at;

-- Removed methods that their upstream has not forgotten yet.
insert into operations (account_id, livemode, subject, kind, upstream_key, state, lease_owner, lease_until, next_try_at,
  created_at)
select account_id, livemode, id, 'remove', id || ':r', 'unknown', 0, '-infinity', removal_next_at, removed_at
from payment_methods where removal_next_at is not null;
alter table payment_methods drop column removal_next_at, drop column removal_tries;

-- What of a dispute has not been answered yet.
insert into operations (account_id, livemode, subject, kind, upstream_key, state, tries, lease_owner, lease_until, next_try_at,
  created_at)
select account_id, livemode, id, operation, id || ':' || left(operation, 1) || operations_done, operation_state, tries,
  lease_owner, lease_until, next_try_at, created_at
from disputes where operation is not null;
alter table disputes drop column operation, drop column operation_state, drop column lease_owner, drop column lease_until,
  drop column tries, drop column next_try_at;
