-- Approval, confirm, holds and recovery.

alter table payments
  drop column upstream_reference,
  -- The upstream's ids of this payment (processors/port.ts, UpstreamIds).
  add column upstream json not null default '{}',
  add column authentication text not null default 'never' check (authentication in ('never', 'automatic', 'always')),
  -- The payment once waited for the buyer: confirm on it stays idempotent after it settled.
  add column required_action boolean not null default false,
  add column next_action text,
  add column redirect_url text,
  -- End of the confirmation window, in account time.
  add column confirm_by timestamptz,
  -- What the buyer's browser brought back from the upstream, and when it first came.
  add column returned json,
  add column buyer_done_at timestamptz,
  -- Counts definite answers to confirm: the next attempt has another upstream key.
  add column confirm_attempt int not null default 0,
  add column authorization_guaranteed_until timestamptz,
  add column authorization_expires timestamptz;

create index payments_waiting on payments (account_id, livemode, confirm_by) where status = 'requires_action';
create index payments_by_status on payments (account_id, livemode, status, seq);

alter table operations
  drop constraint operations_kind_check,
  add constraint operations_kind_check check (kind in ('charge', 'confirm', 'capture', 'void', 'expire', 'cancel')),
  -- Who works on it: a process that lives holds an advisory lock under this number.
  add column lease_owner bigint not null default 0,
  add column lease_until timestamptz not null default '-infinity',
  add column tries int not null default 0,
  -- Real time at which recovery looks at it next.
  add column next_try_at timestamptz not null default '-infinity';

create index operations_open on operations (next_try_at) where state <> 'settled';

-- One per payment that waits for the buyer. The token itself is derived, never stored.
create table checkout_tokens (
  account_id text not null,
  livemode boolean not null,
  token_sha256 bytea not null,
  payment_id text not null,
  -- The buyer left from our page: confirm as soon as the browser comes back.
  confirm_on_return boolean not null default false,
  -- Cards refused on this page, so that it cannot be used to try numbers.
  refusals int not null default 0,
  attempts int not null default 0,
  created_at timestamptz not null,
  primary key (account_id, livemode, token_sha256),
  foreign key (account_id, livemode, payment_id) references payments (account_id, livemode, id)
);
