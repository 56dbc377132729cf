-- Every key starts with account_id, so that the schema shards by account as it stands (docs/architecture.md, "Data").
-- api_keys, users and memberships are small and are looked up without an account: they would be replicated.

create table accounts (
  account_id text primary key,
  name text not null,
  processor text not null check (processor in ('processor_a', 'processor_b')),
  environment text not null check (environment in ('sandbox', 'live')),
  activation text not null check (activation in ('not_activated', 'active', 'suspended', 'restricted', 'closed')),
  store_payment_method_default boolean not null,
  clock_offset_ms bigint not null check (clock_offset_ms >= 0),
  created_at timestamptz not null
);

create table connections (
  account_id text primary key references accounts,
  status text not null check (status in ('connected', 'disconnected')),
  three_d_secure text not null check (three_d_secure in ('off', 'enabled', 'always'))
);

create table api_keys (
  account_id text not null references accounts,
  id text not null,
  livemode boolean not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (account_id, id)
);

create table users (
  id text primary key,
  email text not null,
  email_folded text not null unique,
  password_hash text not null,
  created_at timestamptz not null
);

create table memberships (
  account_id text not null references accounts,
  user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);

-- One dense number per account, mode and list: its greatest value is the count, a page is a range of it.
create table counters (
  account_id text not null,
  livemode boolean not null,
  list text not null,
  last bigint not null,
  primary key (account_id, livemode, list)
) with (fillfactor = 50);

create table customers (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  email text not null,
  email_folded text not null,
  name text,
  phone text,
  locale text,
  external_id text,
  billing_address json,
  delivery_address json,
  date_of_birth text,
  metadata json not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  constraint customers_email_taken unique (account_id, livemode, email_folded),
  constraint customers_external_id_taken unique (account_id, livemode, external_id),
  unique (account_id, livemode, seq)
);

create table payments (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  -- 'processing' is internal: asked of the processor, no answer recorded yet. The API never shows it.
  status text not null check (status in ('processing', 'requires_action', 'authorized', 'succeeded', 'failed', 'voided')),
  -- Counts the changes of this row; an update names the version that it read.
  version int not null,
  -- Counts the events of this payment, so that each event knows its sequence.
  event_count int not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  customer_id text,
  reference text,
  shopper_statement text,
  capture_method text not null check (capture_method in ('automatic', 'manual')),
  method_type text not null check (method_type in ('card', 'card_fields', 'processor_b')),
  brand text,
  bin text,
  last4 text,
  exp_month int,
  exp_year int,
  payment_method_id text,
  renews_payment text,
  failure_code text,
  three_d_secure json,
  avs json,
  upstream_reference text,
  network_transaction_reference text,
  -- The request as sent, without card number and security code: confirm and recovery derive from it.
  request json not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, seq),
  foreign key (account_id, livemode, customer_id) references customers (account_id, livemode, id),
  check ((status = 'failed') = (failure_code is not null))
) with (fillfactor = 85);

create index payments_by_customer on payments (account_id, livemode, customer_id, seq) where customer_id is not null;
create index payments_by_reference on payments (account_id, livemode, reference, seq) where reference is not null;
create index payments_open on payments (account_id, livemode, seq) where status = 'processing';

-- One row per effect asked of a processor.
create table operations (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  kind text not null check (kind in ('charge')),
  upstream_key text not null check (length(upstream_key) <= 64),
  state text not null check (state in ('intent', 'settled', 'unknown')),
  created_at timestamptz not null,
  settled_at timestamptz,
  -- No foreign key to payments: an operation is only ever inserted by the statement that names its payment, and the
  -- check costs a third of a create while the tables are new to the planner.
  primary key (account_id, livemode, id)
) with (fillfactor = 85);

create unique index operations_one_unsettled on operations (account_id, livemode, payment_id) where state <> 'settled';

create table events (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  type text not null,
  object_id text not null,
  sequence int not null,
  -- The event as delivered, byte for byte.
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, seq),
  unique (account_id, livemode, object_id, sequence)
);

-- A payment or refund ends once: one event per outcome.
create unique index events_one_per_outcome on events (account_id, livemode, object_id, type)
  where type in ('payment.succeeded', 'payment.failed', 'refund.succeeded', 'refund.failed');
create index events_by_type on events (account_id, livemode, type, seq);

create table idempotency_keys (
  account_id text not null,
  livemode boolean not null,
  -- Method and path.
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  -- running: somebody works on it until lease_until; open: no answer yet, a retry resumes; done: answer below.
  state text not null check (state in ('running', 'open', 'done')),
  lease_owner text not null,
  lease_until timestamptz not null,
  resource_id text not null,
  status int,
  body text,
  created_at timestamptz not null,
  primary key (account_id, livemode, scope, key)
) with (fillfactor = 60);

create index idempotency_keys_by_age on idempotency_keys using brin (created_at);
