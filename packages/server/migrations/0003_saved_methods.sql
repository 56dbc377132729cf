-- Saved instruments, and the keys that protect them.

-- Whether this database belongs to the master key at hand: the server refuses to start with another one.
create table master_keys (
  id text primary key,
  check_value bytea not null,
  created_at timestamptz not null
);

-- The account's own key for secrets, wrapped by the master key that is named; account and version are bound in.
create table account_keys (
  account_id text not null references accounts,
  version int not null check (version > 0),
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (account_id, version)
);

create table payment_methods (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  customer_id text not null,
  type text not null check (type in ('card', 'processor_b')),
  brand text,
  bin text,
  last4 text,
  exp_month int,
  exp_year int,
  recurring_processing_model text not null
    check (recurring_processing_model in ('card_on_file', 'subscription', 'unscheduled_card_on_file')),
  provider text not null check (provider in ('processor_a', 'processor_b')),
  -- The upstream's token, sealed with the account's key of this version; account, mode and id are bound in.
  token bytea not null,
  key_version int not null,
  -- Keyed hash of the token: the same one is found again without opening any.
  token_name bytea not null,
  -- The upstream's own id of the customer.
  upstream_customer text,
  network_transaction_reference text,
  -- The payment that saved it.
  saved_by text not null,
  -- The upstream said that it must not be charged again.
  gone_at timestamptz,
  removed_at timestamptz,
  -- Real time at which the upstream is asked (again) to forget it; null where nothing is left to do.
  removal_next_at timestamptz,
  removal_tries int not null default 0,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, customer_id) references customers (account_id, livemode, id)
);

create unique index payment_methods_one_per_token
  on payment_methods (account_id, livemode, customer_id, token_name) where removed_at is null;
create index payment_methods_by_token on payment_methods (account_id, livemode, token_name);
create index payment_methods_by_customer on payment_methods (account_id, livemode, customer_id, id)
  where removed_at is null;
create index payment_methods_to_forget on payment_methods (removal_next_at) where removal_next_at is not null;

alter table payments
  -- The model under which the instrument is to be kept; null: it is not.
  add column save_model text,
  add column merchant_initiated boolean not null default false,
  -- Names the risk session upstream: the same on every call about the payment.
  add column risk_session text;

-- Payments whose token is still to come, by the upstream's id.
create index payments_unsaved on payments (account_id, livemode, (upstream ->> 'order'))
  where save_model is not null and payment_method_id is null;
